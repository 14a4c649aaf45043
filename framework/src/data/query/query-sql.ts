import type { ColumnMeta } from '../entities/entity.js'
import { join, quote, raw, type Sql, sql } from '../wire/sql.js'
import { type Condition, columnOf, type OrderKey, type RowVariable, type Value } from './expression.js'
import { ExpressionSql, orderSql } from './expression-sql.js'
import { countedBy, facetCountsSql } from './facet-counts.js'
import { Frame } from './frame.js'
import { jsonItemsForm } from './json-items.js'
import { LateValue } from './late-values.js'
import {
  type FacetCounts,
  type Member,
  type NotePart,
  type RowShape,
  type RowSource,
  type RowsQuery,
  rowVersion,
} from './query-tree.js'
import { StepSql } from './step-sql.js'
import { asComputed, columnJsonForm, type JsonStyle, jsonForm, listJsonForm, literal } from './storage.js'

/**
 * Turns a query into one statement. Its columns: the JSON array of the rows; the keys of the last row where another page follows, the count
 * and the counts of the facets as far as they were asked for; and whether its owner is there.
 */
export function rowsSql(query: RowsQuery, style: JsonStyle, owner?: Owner): Sql {
  return new QuerySql(style).whole(query, owner)
}

/** The statement for the count and the facets of a query alone. */
export function totalsSql({ source, count, facets }: Pick<RowsQuery, 'source' | 'count' | 'facets'>): Sql {
  const writer = new QuerySql({ ieee754: false })
  return sql`select ${writer.totals(source, count, facets)}`
}

/**
 * The statement for any number of rows, each its own. Its columns: the JSON of a row; and, in the last row within the limit, the keys where
 * another page begins. A row behind it says that there is one.
 */
export function streamSql(query: RowsQuery, style: JsonStyle): Sql {
  return new QuerySql(style).eachRow(query)
}

/** The statement for the head of such rows: count, facets, and the existence of their owner. */
export function beforeStreamSql(query: RowsQuery, owner: Owner | undefined): Sql {
  const writer = new QuerySql({ ieee754: false })
  return sql`select ${writer.totals(query.source, query.count, query.facets)}, ${writer.exists(owner)}`
}

/** Stands in a statement for the ids of the rows that it is to read. */
const wantedIds = new LateValue('ids')

/**
 * The statement for rows with certain ids, for which the late value `ids` stands. Its columns: the id and the version of a row, as
 * {@link versionsOf} has them, and its JSON.
 */
export function rowsByIdSql(
  query: Pick<RowsQuery, 'source' | 'shape' | 'limit'>,
  id: ColumnMeta,
  style: JsonStyle,
): Sql {
  return new QuerySql(style).byId(query, id)
}

/** Rows that must be there for an answer to make sense: the owner of what a path leads to. */
export type Owner = Pick<RowsQuery, 'source' | 'where'>

/** The statement for how many rows a query has; beside it whether its owner is there. */
export function countSql(query: Pick<RowsQuery, 'source' | 'where'>, owner?: Owner): Sql {
  const writer = new QuerySql({ ieee754: false })
  return sql`select ${writer.count(query.source, query.where)}::text, ${writer.exists(owner)}`
}

/** The statement for one row as JSON text, null for none; beside it whether its owner is there. */
export function rowSql(
  query: Pick<RowsQuery, 'source' | 'where' | 'shape'>,
  style: JsonStyle,
  owner?: Owner,
): Sql {
  return new QuerySql(style).one({ ...query, order: [], skip: 0, limit: 1 }, owner)
}

/** The statement for one value of one row: as PostgreSQL writes it in JSON, as plain text, whether the row is there, and its owner. */
export function valueSql(
  query: Pick<RowsQuery, 'source' | 'where'> & { readonly value: Value },
  style: JsonStyle,
  owner?: Owner,
): Sql {
  return new QuerySql(style).single(query.source, query.where, query.value, owner)
}

/** A text as it may stand in the path of a URL. */
function percentEncoded(text: string): string {
  const bytes = `regexp_replace(upper(encode(convert_to(s.c, 'UTF8'), 'hex')), '(..)', '%\\1', 'g')`
  const symbol = `case when s.c ~ '^[A-Za-z0-9._~''-]$' then s.c else ${bytes} end`
  return `coalesce((select string_agg(${symbol}, '' order by s.n) from regexp_split_to_table(${text}, '') with ordinality s(c, n)), '')`
}

/** Rows of one level, page first: everything else hangs on the page. */
type Level = Pick<RowsQuery, 'source' | 'where' | 'shape' | 'order' | 'skip' | 'limit'>

class QuerySql {
  private readonly expressions = new ExpressionSql()
  private readonly steps = new StepSql(this.expressions)
  /** Members that are null where they are to be missing. */
  private readonly sentinels = new Set<string>()
  /** Of the collections inside a row, by name: SQL that is true when it was cut. */
  private readonly cuts = new Map<RowVariable, Map<string, string>>()

  constructor(private readonly style: JsonStyle) {}

  whole(query: RowsQuery, owner: Owner | undefined): Sql {
    const paged = query.hasNext ? this.pagedArray(query) : undefined
    // Written first: it finds out what is to be left out.
    const array = paged ? raw('w.rows') : this.array(this.objects(query))
    const columns = [this.finished(array), paged ? raw('w.next') : raw('null::text')]
    columns.push(this.totals(query.source, query.count, query.facets), this.exists(owner))
    const all = sql`select ${join(columns, ', ')}`
    return paged ? sql`${all} from (${paged}) w` : all
  }

  eachRow(query: RowsQuery): Sql {
    const rows = query.hasNext ? this.pagedRows(query) : this.objects(query)
    // Written first: it finds out what is to be left out.
    const next = query.hasNext ? raw('r.k') : raw('null::text')
    return sql`select ${this.finished(raw('r.j'))}, ${next} from (${rows}) r`
  }

  byId({ source, shape, limit }: Parameters<typeof rowsByIdSql>[0], id: ColumnMeta): Sql {
    const level: Level = { source, where: undefined, shape, order: [], skip: 0, limit }
    const wanted = (alias: string) => sql`${raw(`${alias}.${quote(id.column)}`)} = any(${wantedIds}::uuid[])`
    const keyed = [columnOf(shape.row, id, 'Guid'), columnOf(shape.row, rowVersion, 'Int64')]
    const { page, shape: written, keys } = this.page(level, false, 'p', wanted, keyed)
    const table = join([page, ...written.laterals], ' ')
    return written.json
      ? sql`select ${keys}, (${written.json})::text from ${table}`
      : sql`select ${keys}, row_to_json(y)::text from ${table} cross join lateral (select ${written.list}) y`
  }

  /** Two columns: the count, and the counts of the facets. */
  totals(source: RowSource, count: RowsQuery['count'], facets: RowsQuery['facets']): Sql {
    const counted = count ? sql`${this.count(source, count.where)}::text` : raw('null::text')
    return sql`${counted}, ${facets ? this.facets(source, facets) : raw('null::text')}`
  }

  count(source: RowSource, where: Condition | undefined): Sql {
    const { frame, table } = this.steps.open(source)
    const condition = this.steps.whereFenced(source, frame, where)
    return sql`(select count(*) from ${frame.from(table)} where ${condition})`
  }

  one(level: Level, owner: Owner | undefined): Sql {
    const object = sql`(${this.objects(level)})`
    return sql`select ${this.finished(object)}, ${this.exists(owner)}`
  }

  single(source: RowSource, where: Condition | undefined, value: Value, owner: Owner | undefined): Sql {
    const { frame, table } = this.steps.open(source)
    const condition = this.steps.where(source, frame, where)
    const form = this.valueForm(value)
    const row = sql`select to_json(${form})::text as j, (${form})::text as t, true as f from ${frame.from(table)} where ${condition}`
    return sql`select v.j, v.t, v.f, ${this.exists(owner)} from (select) o left join (${row}) v on true`
  }

  exists(owner: Owner | undefined): Sql {
    if (!owner) return raw('true')
    const { frame, table } = this.steps.open(owner.source)
    const condition = this.steps.where(owner.source, frame, owner.where)
    return sql`exists (select from ${frame.from(table)} where ${condition})`
  }

  /** `select … as j`: one JSON object for each row of the page, in order. */
  objects(level: Level): Sql {
    const { page, shape } = this.page(level)
    return this.objectsOf(shape, page)
  }

  private objectsOf(shape: WrittenShape, from: Sql): Sql {
    const table = join([from, ...shape.laterals], ' ')
    if (shape.json) return sql`select ${shape.json} as j from ${table}`
    return sql`select row_to_json(x) as j from (select ${shape.list} from ${table}) x`
  }

  private array(objects: Sql): Sql {
    return sql`(select coalesce(json_agg(r.j), '[]'::json) from (${objects}) r)`
  }

  /** The array as text, without the members that were only there to be left out. */
  private finished(array: Sql): Sql {
    return withoutNull(
      this.style.omitNulls ? sql`json_strip_nulls(${array})::text` : sql`${array}::text`,
      this.sentinels,
    )
  }

  /** One row more than the page is read: its being there says that another page follows. */
  private pagedArray(query: RowsQuery): Sql {
    const limit = raw(String(query.limit))
    const rows = this.pagedRows(query)
    return sql`select coalesce(json_agg(r.j) filter (where r.n <= ${limit}), '[]'::json) as rows, case when max(r.n) > ${limit} then max(r.k) end as next from (${rows}) r`
  }

  /** `select … as j, n, k`: rows of the page and one more, their numbers, and the keys of the page's last. */
  private pagedRows(query: RowsQuery): Sql {
    const limit = raw(String(query.limit))
    const { page, shape, keys } = this.page({ ...query, limit: query.limit + 1 }, true)
    const table = join([page, ...shape.laterals], ' ')
    const next = sql`case when p.n = ${limit} then json_build_array(${keys})::text end as k`
    return shape.json
      ? sql`select ${shape.json} as j, p.n, ${next} from ${table}`
      : sql`select row_to_json(y) as j, p.n, ${next} from ${table} cross join lateral (select ${shape.list}) y`
  }

  /** The rows of a page as a table, and what is shown of them. */
  private page(
    { source, where, shape, order, skip, limit }: Level,
    numbered = false,
    alias = numbered ? 'p' : this.expressions.alias('p'),
    belongs?: (alias: string) => Sql,
    keyed = numbered ? order.map(({ value }) => value) : [],
  ): { page: Sql; shape: WrittenShape; keys: Sql } {
    const { frame: inner, table } = this.steps.open(source)
    const condition = belongs
      ? this.steps.whereFenced(source, inner, where, [belongs(inner.alias)])
      : this.steps.where(source, inner, where)
    const ordered = order.length
      ? sql` order by ${orderSql(order, (value) => this.expressions.stored(value))}`
      : raw('')
    const extra: Sql[] = []
    const valueColumns = this.valueColumns(shape.members, extra)
    const keys = keyed.map((value) => this.keyColumn(value, alias, extra))
    const outer = new Frame(alias)
    this.expressions.use(shape.row, outer)
    const written = this.shape(shape, (value) => raw(`${alias}.${valueColumns.get(value)}`))
    const columns = [...[...outer.columns].map((name) => raw(inner.column(name))), ...extra]
    const joined = { ...written, laterals: [...outer.joins, ...written.laterals] }
    const some = sql` limit ${raw(String(limit))}${skip ? sql` offset ${skip}` : raw('')}`
    const rows = sql`select ${join(columns, ', ')} from ${inner.from(table, isByColumns(order) ? ordered : undefined)} where ${condition}${ordered}${some}`
    const page = numbered
      ? sql`(select q.*, row_number() over () as n from (${rows}) q) ${raw(alias)}`
      : sql`(${rows}) ${raw(alias)}`
    return { page, shape: joined, keys: join(keys, ', ') }
  }

  /** Values are computed with the page, where the joins that they need are made. */
  private valueColumns(members: readonly Member[], extra: Sql[]): Map<Value, string> {
    const names = new Map<Value, string>()
    const add = (value: Value | undefined): void => {
      if (!value || names.has(value)) return
      names.set(value, `v${names.size}`)
      extra.push(sql`${this.valueForm(value)} as ${raw(names.get(value) ?? '')}`)
    }
    const visit = (member: Member): void => {
      if (member.kind === 'value') add(member.value)
      if (member.kind === 'value' || member.kind === 'note') add(member.isPresent)
      if (member.kind === 'object') {
        add(member.isNull)
        for (const value of member.isPresent ?? []) add(value)
        for (const inner of member.members) visit(inner)
      }
    }
    for (const member of members) visit(member)
    return names
  }

  private keyColumn(value: Value, alias: string, extra: Sql[]): Sql {
    const name = `k${extra.length}`
    extra.push(sql`${this.expressions.stored(value)}::text as ${raw(name)}`)
    return raw(`${alias}.${name}`)
  }

  private valueForm(value: Value): Sql {
    if (value.kind === 'list')
      return raw(listJsonForm(value.type, this.expressions.reference(value.path, value.column), this.style))
    if (value.kind === 'objects')
      return jsonItemsForm(this.expressions.reference(value.path, value.column), value.shown, this.style)
    if (value.kind === 'column') {
      const reference = this.expressions.reference(value.path, value.column)
      return raw(columnJsonForm(value.column, value.type, reference, this.style))
    }
    return spliced((x) => jsonForm(value.type, x, this.style), this.expressions.value(value))
  }

  /** The SQL of a row whose variable is known already. */
  private shape({ row, members }: RowShape, shown: (value: Value) => Sql): WrittenShape {
    const laterals: Sql[] = []
    const isDynamic = members.some(
      (member) =>
        member.kind === 'value' || member.kind === 'object' || (member.kind === 'note' && member.isDynamic),
    )
    if (isDynamic) {
      const text = this.objectText(row, members, shown, laterals)
      return { json: sql`(${text})::json`, list: raw(''), laterals }
    }
    const list = members.map(
      (member) => sql`${this.member(row, member, shown, laterals)} as ${raw(quote(member.name))}`,
    )
    return {
      list: list.length ? join(list, ', ') : raw(''),
      laterals,
      json: list.length ? undefined : raw("'{}'::json"),
    }
  }

  /** An object as text: for members that may be missing, and names that clients chose. */
  private objectText(
    row: RowVariable,
    members: readonly Member[],
    shown: (value: Value) => Sql,
    laterals: Sql[],
  ): Sql {
    const pieces = members.map((member) => {
      const name = `,${JSON.stringify(member.name)}:`
      if (member.kind === 'object') {
        const inner = this.objectText(row, member.members, shown, laterals)
        if (member.isText)
          return sql`${name}::text || to_json(${withoutNull(sql`(${inner})`, this.sentinels)})::text`
        const written = member.isNull
          ? sql`${name}::text || case when ${shown(member.isNull)} then 'null' else ${inner} end`
          : sql`${name}::text || ${inner}`
        if (!member.isPresent?.length) return written
        const isPresent = join(
          member.isPresent.map((value) => shown(value)),
          ' or ',
        )
        return sql`case when ${isPresent} then ${written} else '' end`
      }
      const json = this.member(row, member, shown, laterals)
      const written = sql`${name}::text || coalesce(to_json(${json})::text, 'null')`
      const isPresent = member.kind === 'value' || member.kind === 'note' ? member.isPresent : undefined
      return isPresent ? sql`case when ${shown(isPresent)} then ${written} else '' end` : written
    })
    return pieces.length ? sql`'{' || substr(${join(pieces, ' || ')}, 2) || '}'` : raw("'{}'")
  }

  private member(row: RowVariable, member: Member, shown: (value: Value) => Sql, laterals: Sql[]): Sql {
    switch (member.kind) {
      case 'column': {
        const reference = this.expressions.reference({ row, via: [] }, member.column)
        return raw(columnJsonForm(member.column, member.type, reference, this.style))
      }
      case 'list': {
        const reference = this.expressions.reference({ row, via: [] }, member.column)
        return raw(listJsonForm(member.type, reference, this.style))
      }
      case 'objects': {
        const reference = this.expressions.reference({ row, via: [] }, member.column)
        return jsonItemsForm(reference, member.members, this.style)
      }
      case 'value':
        return shown(member.value)
      case 'note': {
        const note = member.parts ? this.note(row, member.parts) : raw('null::text')
        if (!member.ofRest) return note
        const cut = this.cuts.get(row)?.get(member.ofRest)
        this.sentinels.add(member.name)
        return sql`case when ${raw(cut ?? 'false')} then ${note} end`
      }
      case 'one': {
        const { relation, shape } = member
        const owner = this.expressions.reference({ row, via: [] }, relation.own)
        const frame = this.expressions.frame(shape.row)
        const written = this.shape(shape, (value) => this.valueForm(value))
        const table = frame.from(raw(`${quote(relation.target.table)} ${frame.alias}`))
        const where = sql`${raw(`${frame.alias}.${quote(relation.theirs.column)} = ${owner}`)} and ${this.expressions.visible(relation.target, frame.alias)}`
        const from = join([table, ...written.laterals], ' ')
        if (written.json) return sql`(select ${written.json} from ${from} where ${where})`
        return sql`(select row_to_json(x) from (select ${written.list} from ${from} where ${where}) x)`
      }
      case 'many':
        return this.many(row, member, laterals)
      case 'count': {
        const value: Value = { kind: 'count', rows: member.rows, type: 'Int64', nullable: false }
        return this.expressions.value(value)
      }
      case 'object':
        throw new Error('An object inside a row is written as text')
    }
  }

  private many(
    row: RowVariable,
    { name, relation, rows }: Extract<Member, { kind: 'many' }>,
    laterals: Sql[],
  ): Sql {
    const { tellsRest, limit } = rows
    const owner = this.expressions.reference({ row, via: [] }, relation.own)
    const source: RowSource = rows.source ?? {
      kind: 'table',
      row: rows.shape.row,
      entity: relation.target,
    }
    const level: Level = { ...rows, source, limit: tellsRest ? limit + 1 : limit }
    const belongs = (alias: string) => raw(`${alias}.${quote(relation.theirs.column)} = ${owner}`)
    // A source of its own knows whose rows it is made of.
    const { page, shape } = this.page(level, false, undefined, rows.source ? undefined : belongs)
    const objects = this.objectsOf(shape, page)
    if (!tellsRest) return sql`(select coalesce(json_agg(r.j), '[]'::json) from (${objects}) r)`
    const lateral = this.expressions.alias('l')
    laterals.push(
      sql`left join lateral (select array_agg(r.j) as a from (${objects}) r) ${raw(lateral)} on true`,
    )
    const most = String(limit)
    const cuts = this.cuts.get(row) ?? new Map<string, string>()
    this.cuts.set(row, cuts.set(name, `cardinality(${lateral}.a) > ${most}`))
    return raw(
      `case when cardinality(${lateral}.a) > ${most} then array_to_json(${lateral}.a[1:${most}]) else coalesce(array_to_json(${lateral}.a), '[]'::json) end`,
    )
  }

  private note(row: RowVariable, parts: readonly NotePart[]): Sql {
    const pieces = parts.map((part) => {
      if (typeof part === 'string') return raw(`${literal(part)}::text`)
      if ('bound' in part) return sql`${part.bound}::text`
      if ('version' in part) return this.version(row)
      if ('late' in part) return sql`${new LateValue(part.late)}::text`
      const reference = this.expressions.reference({ row, via: [] }, part.column)
      const text = `${asComputed(part.column, reference)}::text`
      return raw(
        part.type === 'String' ? `'''' || ${percentEncoded(`replace(${text}, '''', '''''')`)} || ''''` : text,
      )
    })
    return sql`(${join(pieces, ' || ')})`
  }

  /**
   * The transaction that wrote the row, and a digest of what tells apart transactions of the same number: when the server started, which is
   * another time after every restore and failover, and what writers change with each write, for when numbers come round again.
   */
  private version(row: RowVariable): Sql {
    const of = (column: ColumnMeta): string => this.expressions.reference({ row, via: [] }, column)
    const stamps = ['concurrencyStamp', 'lastModificationTime'].flatMap(
      (attribute) => row.entity?.columns.get(attribute) ?? [],
    )
    const told = ['pg_postmaster_start_time()', ...stamps.map(of)].join(', ')
    return raw(`(${of(rowVersion)}::text || '-' || to_hex(hashtextextended(concat_ws(' ', ${told}), 0)))`)
  }

  private facets(source: RowSource, { passes, mostValues }: FacetCounts): Sql {
    const selects = passes.map(({ where, columns }) => {
      const { frame, table } = this.steps.open(source)
      const condition = this.steps.whereFenced(source, frame, where)
      const named = columns.map(({ field, column }) => ({
        field,
        name: frame.value(column),
      }))
      return countedBy(frame.from(table), condition, named)
    })
    return sql`${facetCountsSql(join(selects, ' union all '), mostValues)}::text`
  }
}

interface WrittenShape {
  /** A select list, or instead of it the object itself. */
  readonly list: Sql
  readonly json?: Sql | undefined
  readonly laterals: readonly Sql[]
}

/** True when rows are ordered by columns of their own alone. */
function isByColumns(order: readonly OrderKey[]): boolean {
  return order.length > 0 && order.every(({ value }) => value.kind === 'column' && !value.path.via.length)
}

/** JSON as text without the members of these names that are null. They stand behind others. */
function withoutNull(text: Sql, names: Iterable<string>): Sql {
  let rest = text
  for (const name of names) rest = sql`replace(${rest}, ${raw(literal(`,${JSON.stringify(name)}:null`))}, '')`
  return rest
}

/** SQL that our own code makes around the text of an expression. */
function spliced(write: (placeholder: string) => string, x: Sql): Sql {
  const placeholder = '\u0001'
  const [first = '', ...rest] = write(placeholder).split(placeholder)
  return rest.reduce((all, next) => sql`${all}${x}${raw(next)}`, raw(first))
}
