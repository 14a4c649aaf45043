import { type Database, raw, type Sql, sql } from '@keel/framework/data'

/** The condition of a list of codes that a text finds: by the digits that they begin with, or by words of their descriptions. */
export function hsCodesLike(text: string): Sql {
  const digits = text.replace(/[\s.]/g, '')
  if (/^\d+$/.test(digits)) return sql`starts_with(t."Code", ${digits})`
  // The last word may not be typed to its end.
  const words = text.match(/[\p{L}\p{N}]+/gu)?.map((word) => `${word}:*`)
  if (!words) return raw('false')
  return sql`to_tsvector('english', t."Description") @@ to_tsquery('english', ${words.join(' & ')})`
}

/** The members of a lookup that are no columns, of the row that is known by `t`. */
export function descriptionAsName(t: Sql): Readonly<Record<string, Sql>> {
  return { name: sql`${t}."Description"` }
}

/** True when a line of an order or of cargo has a code, deleted ones included, or another code is below it. */
export async function isHsCodeUsed(
  database: Database,
  { id, code }: { readonly id: string; readonly code: string },
): Promise<boolean> {
  const [found] = await database.query<{ used: boolean }>(sql`
    select exists (select from "HubHsCodes" where "ParentId" = ${id})
      or exists (select from "HubOrderLines" where "HsCode" = ${code})
      or exists (select from "HubPackLines" where "HsCode" = ${code}) as used`)
  return found?.used ?? false
}
