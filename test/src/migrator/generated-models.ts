import {
  BaseEntity,
  Column,
  DataType,
  Entity,
  type EntityClass,
  type ModelSnapshot,
  modelSnapshot,
  OptionalColumn,
} from '@keel/framework/data'
import fc from 'fast-check'

/** What an entity says of itself, as plain data. */
export interface GeneratedTable {
  readonly name: string
  readonly columns: readonly GeneratedColumn[]
  readonly compositeKey: boolean
  readonly watched: 'no' | 'all' | 'deletes' | 'except'
  /** Its change trigger is that of an earlier release. */
  readonly older: boolean
  readonly indexes: readonly GeneratedIndex[]
  readonly check: boolean
}

export interface GeneratedColumn {
  readonly attribute: string
  readonly type: keyof typeof types
  readonly optional: boolean
  readonly hasDefault: boolean
  /** Of an id: which of the other tables it refers to. */
  readonly refersTo: number
}

export interface GeneratedIndex {
  readonly kind: 'plain' | 'unique' | 'partial' | 'covering' | 'expression' | 'nulls'
  readonly columns: number
  readonly name: boolean
}

const types = {
  uuid: { type: DataType.UUID, default: undefined },
  integer: { type: DataType.INTEGER, default: 7 },
  bigint: { type: DataType.BIGINT, default: undefined },
  short: { type: DataType.STRING(64), default: "it's" },
  long: { type: DataType.STRING(128), default: '' },
  text: { type: DataType.TEXT, default: 'text' },
  boolean: { type: DataType.BOOLEAN, default: true },
  decimal: { type: DataType.DECIMAL(18, 4), default: undefined },
  timestamp: { type: 'TIMESTAMP', default: undefined },
  date: { type: DataType.DATEONLY, default: undefined },
  json: { type: DataType.JSONB, default: undefined },
} as const

const column = (attribute: string): fc.Arbitrary<GeneratedColumn> =>
  fc.record({
    attribute: fc.constant(attribute),
    type: fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[])),
    optional: fc.boolean(),
    hasDefault: fc.boolean(),
    refersTo: fc.nat(3),
  })

const index: fc.Arbitrary<GeneratedIndex> = fc.record({
  kind: fc.constantFrom('plain', 'unique', 'partial', 'covering', 'expression', 'nulls'),
  columns: fc.integer({ min: 1, max: 3 }),
  name: fc.boolean(),
})

const table = (name: string): fc.Arbitrary<GeneratedTable> =>
  fc.record({
    name: fc.constant(name),
    columns: fc
      .subarray(['colour', 'weight', 'title', 'born', 'owner'], { minLength: 1 })
      .chain((names) => fc.tuple(...names.map(column))),
    compositeKey: fc.boolean(),
    watched: fc.constantFrom('no', 'all', 'deletes', 'except'),
    older: fc.boolean(),
    indexes: fc.array(index, { maxLength: 3 }),
    check: fc.boolean(),
  })

/** Models over few names, so that two of them have much in common. */
export const models: fc.Arbitrary<readonly GeneratedTable[]> = fc
  .subarray(['GenCats', 'GenDogs', 'GenOwls'], { minLength: 1 })
  .chain((names) => fc.tuple(...names.map(table)))

/** The snapshot of a model. */
export function snapshotOf(model: readonly GeneratedTable[]): ModelSnapshot {
  const older = new Set(model.filter((table) => table.older).map(({ name }) => name))
  const { tables } = modelSnapshot(entitiesOf(model))
  return {
    tables: tables.map(({ tellsAlways, ...table }) =>
      tellsAlways && !older.has(table.name) ? { ...table, tellsAlways } : table,
    ),
  }
}

/** The entities of a model, declared anew with every call. */
export function entitiesOf(model: readonly GeneratedTable[]): EntityClass[] {
  const classes: EntityClass[] = model.map(() => {
    class Generated extends BaseEntity {}
    return Generated
  })
  for (const [place, one] of model.entries()) declare(one, classes[place] as EntityClass, model, classes)
  return classes
}

function declare(
  table: GeneratedTable,
  entity: EntityClass,
  model: readonly GeneratedTable[],
  classes: readonly EntityClass[],
): void {
  const prototype = entity.prototype as object
  for (const [place, { attribute, type, optional, hasDefault, refersTo }] of table.columns.entries()) {
    const value = hasDefault ? types[type].default : undefined
    const principal = model[refersTo]
    const refers = type === 'uuid' && principal !== undefined && !isComposite(principal)
    const options = {
      ...(value !== undefined && { defaultValue: value }),
      ...(refers && { references: () => classes[refersTo] as EntityClass }),
      primaryKey: place === 0 && isComposite(table),
    }
    ;(optional ? OptionalColumn : Column)(types[type].type, options)(prototype, attribute)
  }
  const attributes = table.columns.map(({ attribute }) => attribute)
  const numbers = table.columns.filter(({ type }) => type === 'integer')
  Entity(table.name, {
    watched: table.watched === 'except' ? { except: attributes.slice(0, 1) } : watching[table.watched],
    indexes: table.indexes.map((one, place) => indexOf(one, place, table)),
    checks: Object.fromEntries(
      (table.check ? numbers : []).map(({ attribute }) => [attribute, `"${pascal(attribute)}" > 0`]),
    ),
  })(entity)
}

const watching = { no: false, all: true, deletes: 'deletes' } as const

const isComposite = ({ compositeKey, columns }: GeneratedTable): boolean =>
  compositeKey && columns[0]?.type !== 'json'

/** Conditions and expressions are written as PostgreSQL prints them, so that what is read back can be compared as it is. */
function indexOf({ kind, columns, name }: GeneratedIndex, place: number, { columns: all }: GeneratedTable) {
  const attributes = all.slice(0, columns).map(({ attribute }) => attribute)
  const last = attributes.at(-1) as string
  const named = name || kind === 'expression' ? { name: `${kind}${place}` } : { name: `${place}` }
  switch (kind) {
    case 'plain':
      return { attributes, ...named }
    case 'unique':
      return { attributes, unique: true, ...named }
    case 'nulls':
      return { attributes, unique: true, nullsNotDistinct: true, ...named }
    case 'partial':
      return { attributes, where: `"${pascal(last)}" IS NOT NULL`, ...named }
    case 'covering':
      return { attributes: ['id'], include: attributes, ...named }
    case 'expression':
      return { attributes: ['id', { sql: `("${pascal(last)}" IS NULL)` }], ...named }
  }
}

const pascal = (attribute: string): string => attribute.charAt(0).toUpperCase() + attribute.slice(1)
