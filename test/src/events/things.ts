import { Injectable, KeelModule, Module } from '@keel/framework'
import {
  BusinessError,
  EntityEto,
  type EntityEvent,
  EventDto,
  entityEvents,
  entityUpdated,
  z,
} from '@keel/framework/contracts'
import { AggregateRoot, Column, DataModule, DataType, Entity, StoreOf } from '@keel/framework/data'
import { EntityCreated, type EventContext, EventDeliveryModule, EventHandler } from '@keel/framework/events'

/** What the events of a thing tell. */
export class ThingEto extends EntityEto('Test.Thing', { id: z.guid(), name: z.string() }) {}

/** A thing was asked to tell something. */
export class ThingSpoke extends EventDto('Test.Thing.Spoke', { words: z.string() }) {}

@Entity('TestThings', { events: ThingEto })
export class Thing extends AggregateRoot {
  @Column(DataType.STRING(50)) declare name: string
}

export const thingsTable = `create table "TestThings" ("Id" uuid primary key, "TenantId" uuid, "CreationTime" timestamptz not null, "CreatorId" uuid,
  "LastModificationTime" timestamptz, "LastModifierId" uuid, "IsDeleted" boolean not null default false, "DeleterId" uuid, "DeletionTime" timestamptz,
  "ConcurrencyStamp" varchar(40) not null, "ExtraProperties" jsonb not null default '{}', "Name" varchar(50) not null)`

@Injectable()
export class ThingStore extends StoreOf(Thing) {}

/** Refuses some names in the transaction that adds the thing. */
@Injectable()
@EventHandler(EntityCreated(Thing))
export class NameRule {
  async handle({ entity }: EntityEvent<Thing>): Promise<void> {
    if (entity.name === 'nameless') throw new BusinessError('Test:Nameless')
  }
}

/** Remembers what it heard; refuses as long as it is told to. */
@Injectable()
export class Witness {
  readonly heard: { readonly words: string; readonly attempt: number }[] = []
  readonly renamed: string[] = []
  refuses: (words: string) => boolean = () => false

  @EventHandler(ThingSpoke)
  async hear({ words }: ThingSpoke, { attempt }: EventContext): Promise<void> {
    this.heard.push({ words, attempt })
    if (this.refuses(words)) throw new Error(`I do not want to hear ${words}`)
  }

  @EventHandler(entityUpdated(ThingEto))
  async note({ entity }: EntityEvent<ThingEto>): Promise<void> {
    this.renamed.push(entity.name)
  }
}

@Module({
  name: 'Things',
  dependsOn: [DataModule, EventDeliveryModule],
  database: 'Hub',
  entities: [Thing],
  services: [ThingStore, NameRule, Witness],
  events: [ThingSpoke, ...entityEvents(ThingEto)],
})
export class ThingsModule extends KeelModule {}
