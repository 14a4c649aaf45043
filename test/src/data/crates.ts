import { ambient, Injectable, KeelModule, Module } from '@keel/framework'
import { type EntityBatch, EntityEto, type EntityEvent, entityEvents, z } from '@keel/framework/contracts'
import {
  AggregateRoot,
  Column,
  DataModule,
  DataType,
  Entity,
  OptionalColumn,
  type RowScope,
  rowRule,
  StoreOf,
  sql,
  Timestamp,
} from '@keel/framework/data'
import {
  EntitiesWritten,
  EntityCreated,
  EntityUpdated,
  EventDeliveryModule,
  EventHandler,
} from '@keel/framework/events'

/** A table with columns of all types, for tests of writes of many rows at once. */
export const cratesTable = `create table "TestCrates" ("Id" uuid primary key, "TenantId" uuid, "CreationTime" timestamptz not null, "CreatorId" uuid,
  "LastModificationTime" timestamptz, "LastModifierId" uuid, "IsDeleted" boolean not null default false, "DeleterId" uuid, "DeletionTime" timestamptz,
  "ConcurrencyStamp" varchar(40) not null, "ExtraProperties" jsonb not null default '{}', "Code" varchar(10) not null, "Quantity" integer not null,
  "Weight" double precision, "Price" numeric(18,4), "IsFragile" boolean not null, "Serial" bigint, "PackedOn" date, "ReadyTime" timestamptz,
  "PortId" uuid references "HubPorts" ("Id"), "Seals" varchar(20)[] not null default '{}', "Numbers" integer[], "Contents" jsonb, "Note" text,
  constraint "CK_TestCrates_Quantity" check ("Quantity" between 1 and 1000));
  create unique index "IX_TestCrates_TenantId_Code" on "TestCrates" ("TenantId", "Code") nulls not distinct where "IsDeleted" = false;
  create unique index "IX_TestCrates_LowerNote" on "TestCrates" (lower("Note"))`

/** The callers' own crates are theirs alone; the program itself sees all. */
@Injectable()
class CallerId implements RowScope<string | undefined> {
  current(): string | undefined {
    return ambient().principal.userId
  }
}
const cratesOfCaller = rowRule(CallerId, (userId, t) =>
  userId ? sql`${t}."CreatorId" = ${userId}::uuid` : undefined,
)

class CrateEto extends EntityEto('Test.Crate', { id: z.guid(), code: z.string() }) {}

@Entity('TestCrates', {
  rules: [cratesOfCaller],
  events: CrateEto,
  conflicts: { IX_TestCrates_TenantId_Code: 'Test:CrateExists' },
})
export class Crate extends AggregateRoot {
  @Column(DataType.STRING(10)) declare code: string
  @Column(DataType.INTEGER, { defaultValue: 1 }) declare quantity: number
  @OptionalColumn(DataType.DOUBLE) declare weight: number | null
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare price: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isFragile: boolean
  @OptionalColumn(DataType.BIGINT) declare serial: string | null
  @OptionalColumn(DataType.DATEONLY) declare packedOn: string | null
  @OptionalColumn(Timestamp) declare readyTime: Date | null
  @OptionalColumn(DataType.UUID) declare portId: string | null
  @Column(DataType.ARRAY(DataType.STRING(20)), { defaultValue: [] }) declare seals: string[]
  @OptionalColumn(DataType.ARRAY(DataType.INTEGER)) declare numbers: (number | null)[] | null
  @OptionalColumn(DataType.JSONB) declare contents: unknown
  @OptionalColumn(DataType.TEXT) declare note: string | null
}

@Injectable()
export class CrateStore extends StoreOf(Crate) {}

/** Remembers the events of crates in their transactions. */
@Injectable()
export class CrateWitness {
  readonly heard: string[] = []

  @EventHandler(EntityCreated(Crate))
  async created({ entity }: EntityEvent<Crate>): Promise<void> {
    this.heard.push(`created ${entity.code}`)
  }

  @EventHandler(EntityUpdated(Crate))
  async updated({ entity }: EntityEvent<Crate>): Promise<void> {
    this.heard.push(`updated ${entity.code}: ${entity.previous('quantity')} to ${entity.quantity}`)
  }

  @EventHandler(EntitiesWritten(Crate))
  async many({ kind, count }: EntityBatch): Promise<void> {
    this.heard.push(`${kind} ${count}`)
  }
}

@Module({
  name: 'Crates',
  dependsOn: [DataModule, EventDeliveryModule],
  database: 'Hub',
  entities: [Crate],
  services: [CallerId, CrateStore, CrateWitness],
  events: entityEvents(CrateEto),
})
export class CratesModule extends KeelModule {}
