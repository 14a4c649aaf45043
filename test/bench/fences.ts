import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { children, trustIn } from './processes.js'
import { prepareShipments, recordStatements, type SentStatement } from './shipments.js'

/**
 * Measures what it costs that callers' expressions run behind the row rules alone: the CPU time that PostgreSQL takes for each statement as the
 * host sends it, planned each time or once, and for the same statement with its fences taken out. One connection executes them in turns; the
 * figure is the median of the pairs, beside it stand the quartiles. Pages are sent in one form when they are new and in another when they come
 * again. Linux alone tells the figure.
 */
const { values: args } = parseArgs({
  options: {
    shipments: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '25' },
    only: { type: 'string', default: '' },
  },
})
const users = ['admin', 'customer', 'customeradmin']
const shapes: Readonly<Record<string, string>> = {
  'comparison of a column': '$filter=TotalPackages gt 500',
  arithmetic: '$filter=TotalPackages add 1 gt 500',
  division: '$filter=TotalPackages div 7 eq 3',
  'part of a text': `$filter=contains(ShipmentReference,'17')`,
  'part of a long text': `$filter=contains(CargoDescription,'part')`,
  'small letters': `$filter=tolower(ShipmentReference) eq 's10000017'`,
  'pattern of a text': `$filter=matchesPattern(ShipmentReference,'^S1.*7$')`,
  'length of a text': '$filter=length(CargoDescription) gt 30',
  'year of an instant': '$filter=year(CreationTime) eq 2026',
  'month, in order of an index': '$filter=month(CreationTime) eq 3&$orderby=CreationTime desc',
  'several functions': `$filter=month(CreationTime) eq 3 and length(ShipmentReference) gt 3 and TotalPackages mod 2 eq 0`,
  'a function or a comparison': `$filter=TotalPackages gt 900 or length(ShipmentReference) lt 3`,
  'in order of an expression': '$orderby=TotalPackages mul 2 desc',
  'in order of a text in capitals': '$orderby=toupper(ShipmentReference)',
  'a related row': `$filter=FirstConsolLegDeparturePort/Name eq 'Shanghai'`,
  'a function of a related row': `$filter=length(FirstConsolLegDeparturePort/Name) gt 8`,
  'any of the documents': `$filter=Documents/any(d:length(d/Title) gt 20)`,
  search: '$search=S100',
  'count by a function': '/$count?$filter=length(ShipmentReference) gt 8',
  'count by the month of an instant': '/$count?$filter=month(CreationTime) eq 3',
  'computed member': '$compute=TotalPackages mul 2 as Twice&$select=Id,Twice&$filter=Twice gt 900',
  'groups of a column': '$apply=groupby((Status),aggregate($count as Count))',
  'groups of a computed member':
    '$apply=compute(year(CreationTime) as Year)/groupby((Year),aggregate($count as Count))',
  'filter, then groups':
    '$apply=filter(length(ShipmentReference) gt 3)/groupby((Status),aggregate(TotalPackages with sum as Sum))',
  'expanded documents with a function': `$expand=Documents($filter=length(Title) gt 20;$select=Title)`,
}

const folder = mkdtempSync(join(tmpdir(), 'keel-bench-'))
const root = fileURLToPath(new URL('../../../', import.meta.url))
const directory = `${root}.keel/bench${args.shipments === '100000' ? '' : `-${args.shipments}`}`
const server = await ensurePostgres({ directory, port: 54349 })
const issuer = await TokenIssuer.start()
try {
  const connections = await prepareShipments(server, Number(args.shipments))
  const env = { ...connections, ...trustIn(issuer.address) }
  for (const user of users) console.table(await tableOf(user, env))
} finally {
  for (const child of children) child.kill('SIGTERM')
  await issuer.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
}
process.exit()

async function tableOf(user: string, env: Record<string, string>): Promise<Record<string, unknown>[]> {
  const [row] = await withClient('bench_default', (client) =>
    client.query<{ Id: string }>('select "Id" from "AbpUsers" where "UserName" = $1', [user]),
  ).then(({ rows }) => rows)
  const headers = { authorization: `Bearer ${await issuer.token({ subject: row?.Id ?? '' })}` }
  const wanted = Object.entries(shapes).filter(([name]) => name.includes(args.only))
  const paths = wanted.map(([, query]) => {
    if (query.startsWith('/')) return `/odata/Shipments${encodeURI(query)}`
    return `/odata/Shipments?${encodeURI(query)}${query.startsWith('$apply') ? '' : '&$top=50'}`
  })
  const file = join(folder, `${user}.jsonl`)
  const port = await nextFreePort(4700)
  const sent = await recordStatements({ ...env, PORT: String(port) }, port, headers, paths, file)
  const table: Record<string, unknown>[] = []
  for (const [index, [shape]] of wanted.entries()) {
    const { first, warm } = sent.get(paths[index] as string) ?? {}
    const statements = first?.text === warm?.text ? { always: warm } : { 'when new': first, again: warm }
    for (const [answer, statement] of Object.entries(statements))
      if (statement)
        table.push({ user, shape, answer, ...(await withClient('bench_hub', (c) => compare(c, statement))) })
  }
  return table
}

/** Medians of microseconds per execution. */
async function compare(
  client: pg.Client,
  { text, values, name }: SentStatement,
): Promise<Record<string, unknown>> {
  const bare = withoutFences(text)
  if (bare === text) return { 'with µs': '–', 'without µs': '–', more: 'no fence', quartiles: '' }
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = rows[0]?.pid as number
  const run = async (statement: string, times: number) => {
    const query = {
      text: statement,
      values: [...values],
      ...(name && { name: statement === bare ? 'bare' : name }),
    }
    const before = cpuNanoseconds(pid)
    for (let time = 0; time < times; time += 1) await client.query(query)
    return (cpuNanoseconds(pid) - before) / 1000 / times
  }
  // PostgreSQL decides after five executions whether one plan serves for all values.
  for (const statement of [text, bare]) await run(statement, 8)
  const once = Math.max(50, await run(text, 2))
  const times = Math.max(3, Math.min(200, Math.round(20_000 / once)))
  const taken = { fenced: [] as number[], bare: [] as number[], more: [] as number[] }
  for (let round = 0; round < Number(args.rounds); round += 1) {
    // Each goes first in every other pair.
    const [one, other] = round % 2 ? [text, bare] : [bare, text]
    const both = new Map([
      [one, await run(one, times)],
      [other, await run(other, times)],
    ])
    const [fenced = 0, alone = 0] = [both.get(text), both.get(bare)]
    taken.fenced.push(fenced)
    taken.bare.push(alone)
    taken.more.push((fenced / alone - 1) * 100)
  }
  return {
    'with µs': Math.round(quantile(taken.fenced, 0.5)),
    'without µs': Math.round(quantile(taken.bare, 0.5)),
    more: `${quantile(taken.more, 0.5).toFixed(1)} %`,
    quartiles: `${quantile(taken.more, 0.25).toFixed(1)} … ${quantile(taken.more, 0.75).toFixed(1)}`,
  }
}

/** The statement as it would be without fences: `framework/src/data/query/frame.ts` writes them. */
function withoutFences(text: string): string {
  return withoutCases(
    text.replaceAll(' offset 0', '').replaceAll(/ order by [^()]* limit 9223372036854775807/g, ''),
  )
}

/** Takes out `case when <rules> then <conditions> end`, where rules name the column of soft delete. */
function withoutCases(text: string): string {
  const start = 'case when '
  let result = ''
  let rest = text
  for (let at = rest.indexOf(start); at >= 0; at = rest.indexOf(start)) {
    const end = endOf(rest, at + start.length, ' end')
    const then = endOf(rest, at + start.length, ' then ')
    const rules = rest.slice(at + start.length, then)
    result += rest.slice(0, at)
    if (!rules.includes('"IsDeleted"')) {
      result += start
      rest = rest.slice(at + start.length)
    } else {
      // Parameters keep their types; the planner leaves out what is true anyway.
      result += `(coalesce((${withoutCases(rest.slice(then + ' then '.length, end))}), false) and (true or (${rules})))`
      rest = rest.slice(end + ' end'.length)
    }
  }
  return result + rest
}

/** Where a word stands that belongs to the case that is open here, not to one within. */
function endOf(text: string, from: number, word: string): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith('case when ', at)) depth += 1
    else if (depth === 0 && text.startsWith(word, at)) return at
    else if (text.startsWith(' end', at) && depth > 0 && !/\w/.test(text[at + 4] ?? '')) depth -= 1
  }
  throw new Error(`a case without an end: ${text}`)
}

function cpuNanoseconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
}

function quantile(figures: readonly number[], share: number): number {
  return [...figures].sort((one, other) => one - other)[Math.floor(figures.length * share)] as number
}

async function withClient<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.urlOf(database) })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
