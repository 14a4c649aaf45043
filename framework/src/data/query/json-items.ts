import { join, raw, type Sql, sql } from '../wire/sql.js'
import { castSql } from './cast-sql.js'
import type { EnumScalar, Scalar } from './scalars.js'
import { type JsonStyle, jsonForm, literal } from './storage.js'

/** A member of the objects in a JSON array, and the type that it is read as. */
export interface JsonField {
  /** Its name there. */
  readonly key: string
  readonly type: Scalar
}

/** A part of the text that shows an object of a JSON array: one of its members, or a constant text. */
export type JsonMember = { readonly name: string } & (JsonField | { readonly text: string })

/**
 * The objects of an array in a `jsonb` column as rows: the fields are `c0`, `c1` and so on, `n` is the place in the array. It fails for no JSON: what
 * is no array has no rows, what is no object is left out, and a member that is no value of its type is null.
 * @param reference the column in SQL
 */
export function jsonItemsSql(reference: string, fields: readonly JsonField[]): Sql {
  const columns = fields.map((field, index) => sql`${fieldSql(field)} as ${raw(`c${index}`)}`)
  const array = raw(`case when jsonb_typeof(${reference}) = 'array' then ${reference} end`)
  return sql`(select ${join([...columns, raw('e.n')], ', ')} from jsonb_array_elements(${array}) with ordinality e(v, n) where jsonb_typeof(e.v) = 'object')`
}

/** The objects of such a column as a JSON array, with the members that are shown. */
export function jsonItemsForm(reference: string, members: readonly JsonMember[], style: JsonStyle): Sql {
  const fields = members.filter((member) => 'key' in member)
  const pieces = members.map((member) => {
    const name = raw(literal(`,${JSON.stringify(member.name)}:`))
    if ('text' in member) return sql`${name} || ${raw(literal(JSON.stringify(member.text)))}`
    const form = jsonForm(member.type, `u.c${fields.indexOf(member)}`, style)
    return sql`${name} || coalesce(to_json(${raw(form)})::text, 'null')`
  })
  const object = sql`('{' || substr(${join(pieces, ' || ')}, 2) || '}')::json`
  const array = sql`(select json_agg(${object} order by u.n) from ${jsonItemsSql(reference, fields)} u)`
  const all = sql`coalesce(${array}, '[]'::json)`
  return style.omitNulls ? sql`json_strip_nulls(${all})` : all
}

function fieldSql({ key, type }: JsonField): Sql {
  const name = literal(key)
  const text = raw(`(e.v ->> ${name})`)
  // The text of an object would show members that nobody declared.
  if (type === 'String')
    return raw(`case when jsonb_typeof(e.v -> ${name}) = 'string' then e.v ->> ${name} end`)
  if (typeof type === 'string') return castSql(type, 'String', text)
  return type.flags ? castSql('Int32', 'String', text) : memberSql(type, text)
}

/** A member of an enumeration, which JSON has as its number or its name, as columns hold it. */
function memberSql({ members, stored }: EnumScalar, text: Sql): Sql {
  const branches = [...members].map(([name, number]) => {
    const value = stored === 'name' ? literal(name) : `(${number})`
    return `when ${literal(name)} then ${value} when '${number}' then ${value}`
  })
  const type = stored === 'name' ? 'text' : 'integer'
  return sql`(case ${text} ${raw(branches.join(' '))} end)::${raw(type)}`
}
