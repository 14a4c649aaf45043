import { KeelModule, Module } from '@keel/framework'
import {
  calendarDate,
  Dto,
  decimal,
  enumeration,
  guid,
  instant,
  inUnit,
  listOf,
  restrictedTo,
  z,
} from '@keel/framework/contracts'
import {
  BaseEntity,
  Column,
  DataModule,
  DataType,
  Entity,
  entitySet,
  OptionalColumn,
} from '@keel/framework/data'
import { DocumentPermissions, PortPermissions } from '@keel/hub/contracts'

/** Numbers with a gap between. */
export enum CrateKind {
  Open = 0,
  Closed = 1,
  Cooled = 5,
}

/** What may be done to a crate, any number at a time. */
export enum Handling {
  None = 0,
  Stack = 1,
  Tilt = 2,
  Freeze = 8,
}

/** What is stuck on crates, many to many. */
@Entity('TestLabels')
export class Label extends BaseEntity {
  @Column(DataType.STRING(50)) declare text: string
}

/** That a label is on a crate; one that was peeled off is not seen any more. */
@Entity('TestCrateLabels')
export class CrateLabel extends BaseEntity {
  @Column(DataType.UUID, { references: () => Crate }) declare crateId: string
  @Column(DataType.UUID, { references: () => Label }) declare labelId: string
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDeleted: boolean
}

/** A thing with properties of every kind that no entity of the product has. */
@Entity('TestCrates')
export class Crate extends BaseEntity {
  @Column(DataType.STRING(50)) declare name: string
  @Column(DataType.ARRAY(DataType.STRING(20))) declare tags: string[]
  @OptionalColumn(DataType.ARRAY(DataType.INTEGER)) declare sizes: number[] | null
  @Column(DataType.ARRAY(DataType.SMALLINT), { enumeration: { CrateKind } }) declare kinds: CrateKind[]
  @Column(DataType.ARRAY(DataType.DATE)) declare opened: Date[]
  @Column(DataType.ARRAY(DataType.DATEONLY)) declare hiddenDays: string[]
  @OptionalColumn(DataType.STRING(50)) declare storeStreet: string | null
  @OptionalColumn(DataType.STRING(30)) declare storeCity: string | null
  @Column(DataType.SMALLINT, { enumeration: { CrateKind } }) declare storeKind: CrateKind
  @OptionalColumn('INTERVAL') declare shelfLife: unknown
  @OptionalColumn(DataType.SMALLINT, { enumeration: { Handling }, flags: true }) declare handling:
    | number
    | null
  @OptionalColumn(DataType.JSONB) declare lines: unknown
  @OptionalColumn(DataType.JSONB) declare secretLines: unknown
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDeleted: boolean
}

/** What lies in a crate: members of every kind that JSON can hold, and two that nobody is shown. */
export class CrateLineDto extends Dto({
  sku: z.string().max(20).meta({ description: 'What the warehouse calls it' }),
  quantity: z.int32(),
  weight: inUnit('kg', decimal(10, 3)),
  ratio: z.number().nullish(),
  packedOn: calendarDate().nullish(),
  packedAt: instant().nullish(),
  kind: enumeration('CrateKind', CrateKind),
  isFragile: z.boolean(),
  lotId: guid().nullish(),
  password: z.string().nullish(),
  inner: z.object({ a: z.int() }).nullish(),
}) {}

/** What a crate is elsewhere. */
export class CrateDto extends Dto({
  name: z.string(),
  tags: z.array(z.string()),
  sizes: z.array(z.int()).nullish(),
  kinds: z.array(z.int()),
  opened: restrictedTo(DocumentPermissions.View, z.array(instant()).nullish()),
  storeStreet: restrictedTo(DocumentPermissions.View, z.string().nullish()),
  lines: listOf(CrateLineDto).nullish(),
  secretLines: restrictedTo(DocumentPermissions.View, listOf(CrateLineDto).nullish()),
}) {}

/** The tables, which no migration makes. */
export const tables = `create table "TestCrates" ("Id" uuid primary key, "Name" varchar(50) not null, "Tags" varchar(20)[] not null,
  "Sizes" integer[], "Kinds" smallint[] not null default '{}', "Opened" timestamptz[] not null default '{}', "HiddenDays" date[] not null default '{}',
  "StoreStreet" varchar(50), "StoreCity" varchar(30), "StoreKind" smallint not null default 0, "ShelfLife" interval, "Handling" smallint,
  "Lines" jsonb, "SecretLines" jsonb, "IsDeleted" boolean not null default false);
  create table "TestLabels" ("Id" uuid primary key, "Text" varchar(50) not null);
  create table "TestCrateLabels" ("Id" uuid primary key, "CrateId" uuid not null references "TestCrates", "LabelId" uuid not null references "TestLabels",
    "IsDeleted" boolean not null default false)`

/** Crates and what belongs to them. */
@Module({
  name: 'Crates',
  dependsOn: [DataModule],
  database: 'Hub',
  entities: [Crate, Label, CrateLabel],
  odata: [
    entitySet('Labels', Label, PortPermissions.View, {
      also: ['text'],
      searchable: ['text'],
      collections: {
        Crates: { entity: () => Crate, through: () => CrateLabel, by: 'labelId', to: 'crateId' },
      },
    }),
    entitySet('Crates', Crate, PortPermissions.View, {
      dto: CrateDto,
      also: ['shelfLife', 'handling'],
      searchable: ['name'],
      collections: {
        Labels: { entity: () => Label, through: () => CrateLabel, by: 'crateId', to: 'labelId' },
      },
      complex: {
        store: {
          typeName: 'Store',
          members: { street: 'storeStreet', city: 'storeCity', kind: 'storeKind' },
        },
      },
    }),
  ],
})
export class CratesModule extends KeelModule {}
