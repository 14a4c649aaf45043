import type { DatabaseSession } from '../wire/session.js'
import { keptPrefix } from './live-schema.js'
import { readSchemaScripts, type SchemaScript } from './schema-scripts.js'

/** The triggers that keep the values of columns, as schema scripts make them and as a database has them. */
export interface KeptTriggers {
  /** The number of triggers that the scripts make. */
  readonly scripted: number
  readonly faults: readonly KeptTriggerFault[]
}

/** A difference between a database and its scripts by which values of columns become wrong. */
export interface KeptTriggerFault {
  /** A sentence. */
  readonly told: string
  /** What puts it right, as a sentence. */
  readonly cure: string
}

/**
 * Compares the triggers that keep columns, and the functions of schema scripts, with those of the session's current schema. It reads the texts
 * of the scripts and the catalogue: that takes no right beyond connecting, and no lock. Of a trigger with a condition it compares
 * only that there is one.
 */
export async function compareKeptTriggers(
  session: DatabaseSession,
  folders: readonly URL[],
): Promise<KeptTriggers> {
  const { triggers, functions } = madeBy(folders.flatMap(readSchemaScripts))
  if (triggers.size === 0) return { scripted: 0, faults: [] }
  const live = await liveTriggers(session)
  const bodies = await liveBodies(session, [...functions.keys()])
  return {
    scripted: triggers.size,
    faults: [
      ...[...triggers].flatMap(([key, trigger]) => faultsOf(trigger, live.get(key))),
      ...[...functions].flatMap(([name, { body, script }]) => {
        const cure = `Run the statement that creates it, of ${script}.`
        const found = bodies.get(name)
        if (!found) return [{ told: `The function ${name}() is missing.`, cure }]
        return found.includes(body) ? [] : [{ told: `The function ${name}() has another body.`, cure }]
      }),
    ],
  }
}

/** The parts of `create trigger` that say when it fires and what it calls. */
interface TriggerDefinition {
  readonly table: string
  readonly name: string
  /** When it fires, and for what, in small letters: `before, insert, update of buyerid, row`. */
  readonly fires: string
  readonly hasCondition: boolean
  readonly function: string
}

interface ScriptedTrigger extends TriggerDefinition {
  readonly script: string
}

interface LiveTrigger {
  readonly definition: TriggerDefinition | undefined
  readonly isEnabled: boolean
}

interface ScriptedFunction {
  readonly body: string
  readonly script: string
}

function faultsOf(
  { table, name, script, ...wanted }: ScriptedTrigger,
  live: LiveTrigger | undefined,
): KeptTriggerFault[] {
  const trigger = `The trigger ${name} of ${table}`
  const create = `Run the statement that creates it, of ${script}.`
  if (!live) return [{ told: `${trigger} is missing.`, cure: create }]
  const { definition, isEnabled } = live
  const isSame =
    definition?.function === wanted.function &&
    definition.hasCondition === wanted.hasCondition &&
    definition.fires === wanted.fires
  if (!isSame)
    return [
      {
        told: `${trigger} is another one than that of ${script}.`,
        cure: `Drop it. ${create}`,
      },
    ]
  if (isEnabled) return []
  return [{ told: `${trigger} is disabled.`, cure: `Run alter table "${table}" enable trigger "${name}".` }]
}

/** What scripts leave behind that follow each other. A later statement takes the place of an earlier one of its name. */
function madeBy(scripts: readonly SchemaScript[]): {
  triggers: ReadonlyMap<string, ScriptedTrigger>
  functions: ReadonlyMap<string, ScriptedFunction>
} {
  const triggers = new Map<string, ScriptedTrigger>()
  const functions = new Map<string, ScriptedFunction>()
  for (const { name: script, text } of scripts) {
    for (const { groups = {} } of text.matchAll(statements)) {
      const { statement = '', body, made = '', dropped = '', droppedTrigger = '', droppedFrom = '' } = groups
      const trigger = made ? undefined : definitionOf(statement)
      if (trigger?.name.startsWith(keptPrefix)) triggers.set(keyOf(trigger), { ...trigger, script })
      else if (made) functions.set(made.toLowerCase(), { body: body ?? '', script })
      else if (dropped) functions.delete(dropped.toLowerCase())
      else if (droppedTrigger) triggers.delete(keyOf({ table: droppedFrom, name: droppedTrigger }))
    }
  }
  return { triggers, functions }
}

/** The statements about functions and triggers in a script, each at the beginning of a line. */
const statements = new RegExp(
  [
    String.raw`create (?:or replace )?function (?<made>\w+)\s*\([^$]*?\bas\s+\$(?<tag>\w*)\$(?<body>[^]*?)\$\k<tag>\$`,
    '(?<statement>create (?:or replace )?(?:constraint )?trigger "[^;]*)',
    String.raw`drop function (?:if exists )?(?<dropped>\w+)`,
    'drop trigger (?:if exists )?"(?<droppedTrigger>[^"]+)" on "(?<droppedFrom>[^"]+)"',
  ]
    .map((statement) => String.raw`^[ \t]*${statement}`)
    .join('|'),
  'gim',
)

const keyOf = ({ table, name }: { readonly table: string; readonly name: string }): string =>
  `${table}.${name}`

/** Reads `create trigger`, as scripts or PostgreSQL write it; undefined for other forms of it. */
function definitionOf(statement: string): TriggerDefinition | undefined {
  const { groups } = triggerForm.exec(statement.replace(/\s+/g, ' ')) ?? {}
  if (!groups) return undefined
  const { name = '', table = '', time = '', events = '', each = '', condition, call = '' } = groups
  // PostgreSQL puts only those names into quotes that need it.
  const words = [time, ...events.split(/ or /i).sort(), each].join(', ').toLowerCase().replaceAll('"', '')
  return { table, name, fires: words, hasCondition: condition !== undefined, function: call.toLowerCase() }
}

const triggerForm = new RegExp(
  [
    String.raw`trigger "(?<name>[^"]+)" (?<time>before|after) (?<events>.+?) on (?:\S+\.)?"?(?<table>[^" ]+)"? .*?`,
    String.raw`for each (?<each>row|statement) (?<condition>when .*)?execute (?:function|procedure) (?:\S+\.)?"?(?<call>\w+)"?\(`,
  ].join(''),
  'i',
)

async function liveTriggers(session: DatabaseSession): Promise<ReadonlyMap<string, LiveTrigger>> {
  const { rows } = await session.query<{
    table: string
    name: string
    statement: string
    isEnabled: boolean
  }>(
    `select c.relname as "table", t.tgname as name, pg_get_triggerdef(t.oid) as statement,
            t.tgenabled in ('O', 'A') as "isEnabled"
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and starts_with(t.tgname, $1)`,
    [keptPrefix],
  )
  return new Map(
    rows.map(({ statement, isEnabled, ...row }) => [
      keyOf(row),
      { definition: definitionOf(statement), isEnabled },
    ]),
  )
}

async function liveBodies(
  session: DatabaseSession,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await session.query<{ name: string; bodies: string[] }>(
    `select proname as name, array_agg(replace(prosrc, E'\\r\\n', E'\\n')) as bodies from pg_proc
      where pronamespace = current_schema()::regnamespace and proname = any($1) group by 1`,
    [names],
  )
  return new Map(rows.map(({ name, bodies }) => [name, bodies]))
}
