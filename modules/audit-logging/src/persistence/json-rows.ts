import type { AnyDto } from '@keel/framework/contracts'
import { type EntityClass, entityMeta, instantSql, quote, raw, type Sql } from '@keel/framework/data'

/**
 * The members of a DTO that are columns of an entity, as arguments of `json_build_object`, for rows of the table known by `alias`.
 * Instants are UTC; extra properties, a text in the table, are an object.
 */
export function membersOf(entity: EntityClass, { shape }: AnyDto, alias: string): Sql {
  const { columns } = entityMeta(entity)
  const members = Object.keys(shape).flatMap((name) => {
    const column = columns.get(name)
    if (!column) return []
    const reference = `${alias}.${quote(column.column)}`
    return [`'${name}', ${name === 'extraProperties' ? objectOf(reference) : shown(reference, column.type)}`]
  })
  return raw(members.join(', '))
}

function objectOf(reference: string): string {
  return `coalesce(nullif(${reference}, ''), '{}')::json`
}

function shown(reference: string, type: unknown): string {
  return type === 'TIMESTAMP' ? instantSql(reference) : reference
}
