import { type AnyDto, type OwnField, ownFieldsOf, type z } from '../../contracts/index.js'
import type { LoadedModule } from '../../modularity/loaded-module.js'
import { nearestName } from '../../modularity/nearest-name.js'
import type { OwnFields } from '../../modularity/own-fields.js'
import { StartupError } from '../../modularity/startup-error.js'
import {
  type ColumnMeta,
  type ColumnType,
  DataType,
  type EntityClass,
  type EntityMeta,
  entityMeta,
} from './entity.js'
import type { FacetField } from './facet-field.js'
import { typeKey } from './text-columns.js'

/** The attribute that holds the own fields of an entity. */
const holder = 'extraProperties'

const columns = new WeakMap<OwnField, ColumnMeta>()
const fields = new WeakMap<ColumnMeta, OwnField>()

/**
 * An own field as a column that queries can read: an expression over `ExtraProperties`, of the type of the field. A value of another type, which
 * the field may have had before, counts as null. The expression fails for no value and is immutable, so that an index can be made of it.
 * @param meta the entity that has the field
 */
export function ownColumn(field: OwnField, meta: EntityMeta): ColumnMeta {
  const known = columns.get(field) ?? makeColumn(field, meta)
  columns.set(field, known)
  fields.set(known, field)
  return known
}

/** The own field that a column reads; undefined for columns of the table. */
export function ownFieldOf(column: ColumnMeta): OwnField | undefined {
  return fields.get(column)
}

/** How rows are counted by an own field, which is an enumeration or a boolean; undefined for other columns. */
export function ownFacet(column: ColumnMeta): FacetField | undefined {
  const field = fields.get(column)
  if (field?.type !== 'enumeration' && field?.type !== 'boolean') return undefined
  // In a pass of its own: the index that covers the other facets does not have it.
  const facet = { name: field.name, attribute: field.name, hasManyValues: true }
  return field.values ? { ...facet, values: field.values } : facet
}

function makeColumn(field: OwnField, meta: EntityMeta): ColumnMeta {
  const { entity, name, type, values } = field
  const extras = meta.columns.get(holder)
  if (!extras) throw new Error(`${meta.name} has no ${holder}`)
  return {
    attribute: name,
    column: extras.column,
    type: columnType(field),
    nullable: true,
    primaryKey: false,
    defaultValue: undefined,
    references: undefined,
    onDelete: 'no action',
    enumeration:
      type === 'enumeration' ? { [`${entity.split('.')[1] ?? ''}${name}`]: values ?? {} } : undefined,
    expression: (reference) => expressionOf(field, jsonbOf(extras, reference)),
  }
}

/** ABP's tables hold JSON as text, which ABP leaves empty now and then. */
function jsonbOf(extras: ColumnMeta, reference: string): string {
  return typeKey(extras) === 'JSONB' ? reference : `nullif(${reference}, '')::jsonb`
}

function columnType({ type, maxLength, scale }: OwnField): ColumnType {
  switch (type) {
    case 'text':
      return DataType.STRING(maxLength)
    case 'integer':
      return DataType.INTEGER
    case 'enumeration':
      return DataType.SMALLINT
    case 'decimal':
      return DataType.DECIMAL(15, scale)
    case 'boolean':
      return DataType.BOOLEAN
    case 'date':
      return DataType.DATEONLY
    case 'instant':
      return DataType.DATE
    case 'guid':
      return DataType.UUID
  }
}

const day = '(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const patterns = {
  date: `^${day}$`,
  instant: `^${day}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?Z$`,
  guid: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
} as const

/** Names of fields are checked when they are declared: they have letters and digits alone. */
function expressionOf({ name, type }: OwnField, reference: string): string {
  const json = `(${reference} -> '${name}')`
  const text = `(${reference} ->> '${name}')`
  const part = (from: number, length: number): string => `substr(${text}, ${from}, ${length})::integer`
  // Counted from the first of the month: a day that the month does not have fails nowhere.
  const date = `(make_date(${part(1, 4)}, ${part(6, 2)}, 1) + (${part(9, 2)} - 1))`
  switch (type) {
    case 'text':
      return `(case when jsonb_typeof(${json}) = 'string' then ${text} end)`
    case 'integer':
      return numberOf(json, 'integer', -2147483648, 2147483647)
    case 'enumeration':
      return numberOf(json, 'smallint', 0, 32767)
    case 'decimal':
      return `(case when jsonb_typeof(${json}) = 'number' then ${json}::numeric end)`
    case 'boolean':
      return `(case when jsonb_typeof(${json}) = 'boolean' then ${json}::boolean end)`
    case 'date':
      return `(case when ${text} ~ '${patterns.date}' then ${date} end)`
    case 'instant': {
      const time = `make_interval(hours => ${part(12, 2)}, mins => ${part(15, 2)}, secs => rtrim(substr(${text}, 18), 'Z')::double precision)`
      return `(case when ${text} ~ '${patterns.instant}' then (${date}::timestamp + ${time}) at time zone interval '0' end)`
    }
    case 'guid':
      return `(case when ${text} ~ '${patterns.guid}' then ${text}::uuid end)`
  }
}

function numberOf(json: string, type: string, least: number, most: number): string {
  return `(case when jsonb_typeof(${json}) = 'number' then case when ${json}::numeric between ${least} and ${most} then ${json}::numeric::${type} end end)`
}

/** The entity of this module and name that can have own fields; undefined where there is none. */
export function ownFieldsEntity(
  modules: readonly Pick<LoadedModule, 'name' | 'options'>[],
  key: string,
): EntityClass | undefined {
  return extensibleEntities(modules).get(key)
}

/** The entities that can have own fields, by module and name. */
function extensibleEntities(
  modules: readonly Pick<LoadedModule, 'name' | 'options'>[],
): Map<string, EntityClass> {
  return new Map(
    modules.flatMap(({ name: module, options }) =>
      (options.entities ?? []).flatMap((entity): [string, EntityClass][] => {
        const { name, ownFields } = entityMeta(entity)
        return ownFields ? [[`${module}.${name}`, entity as EntityClass]] : []
      }),
    ),
  )
}

/**
 * Throws for an entity that can have own fields and a DTO of it that shows none: nobody could read or set them.
 * @param place names the service or the set in the error
 */
export function demandOwnFieldsMember(
  { name, ownFields }: Pick<EntityMeta, 'name' | 'ownFields'>,
  dto: AnyDto,
  place: string,
): void {
  if (!ownFields) return
  const marked = dto.shape.extraProperties && ownFieldsOf(dto.shape.extraProperties as z.ZodType)
  if (!marked?.endsWith(`.${name}`))
    throw new StartupError(
      `${place}: ${name} has a column extraProperties, but ${dto.name} does not show own fields: add extraProperties: ownFields('<Module>.${name}') to it and to the inputs`,
    )
}

/** Throws for own fields of entities that are not there, or whose names a member of the entity has. */
export function checkOwnFields(
  modules: readonly Pick<LoadedModule, 'name' | 'options'>[],
  ownFields: OwnFields,
): void {
  const fields = ownFields.all
  if (!fields.length) return
  const entities = extensibleEntities(modules)
  for (const { entity, name } of fields) {
    const found = entities.get(entity)
    if (!found) {
      const known = [...entities.keys()]
      const near = nearestName(entity, known)
      throw new StartupError(
        `The own field ${entity}.${name} is of an entity that this host does not have.${near ? ` Did you mean ${near}?` : ''} Entities with own fields: ${known.join(', ') || 'none'}.`,
      )
    }
    const clash = [...entityMeta(found).columns.keys()].find((attribute) =>
      [attribute, attribute.replace(/Id$/, '')].some((one) => one.toLowerCase() === name.toLowerCase()),
    )
    if (clash !== undefined)
      throw new StartupError(
        `The own field ${entity}.${name} has the name of a member of ${entity}: ${clash}.`,
      )
  }
}
