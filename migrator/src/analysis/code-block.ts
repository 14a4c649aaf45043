import { type DoStmt, type Node, parsePlPgSQLSync, parseSync } from 'libpg-query'
import { type Effect, type Facts, together } from './effect.js'

/** Code that only shows when it runs what it does. */
export const unseen: Effect = {
  locks: [],
  breaks: 'what only the code inside knows: it can not be seen from here',
  safer: 'Write it as plain SQL.',
  isUnseen: true,
}

/**
 * The effect of a `do` block if each of its statements ran: SQL, conditions, loops. Statements that it builds
 * while it runs are not analysed.
 */
export function blockEffect({ args = [] }: DoStmt, facts: Facts, effectOf: EffectOf): Effect {
  const { as = '', language = 'plpgsql' } = Object.fromEntries(args.map(definition))
  if (language !== 'plpgsql') return unseen
  const tag = `$keel${as.match(/\$keel\d*/g)?.length ?? ''}$`
  if (as.includes(tag)) return unseen
  try {
    const { plpgsql_funcs: functions } = parsePlPgSQLSync(
      `do ${tag}${as}${tag}`,
    ) as unknown as ParsedFunctions
    return together(effectsIn(functions, { facts, effectOf }).flatMap((effect) => onOld(effect, facts)))
  } catch {
    return unseen
  }
}

/** Without what is done to tables that the script made itself. */
function onOld(effect: Effect, { fresh }: Facts): Effect[] {
  const locks = effect.locks.filter(({ table }) => !fresh.has(table))
  return effect.locks.length > 0 && locks.length === 0 ? [] : [{ ...effect, locks }]
}

type EffectOf = (node: Node, facts: Facts) => Effect

/** The answer of the parser, whose own types describe SQL only. */
interface ParsedFunctions {
  readonly plpgsql_funcs: readonly unknown[]
}

/** A piece of SQL in a block: a statement, an expression or an assignment. */
interface Expression {
  readonly query?: string
  readonly parseMode?: number
}

const definition = (node: Node): [string, string] => {
  const { defname = '', arg } = 'DefElem' in node ? node.DefElem : {}
  return [defname, arg && 'String' in arg ? (arg.String.sval ?? '') : '']
}

/** The statements of PL/pgSQL that do nothing but what the SQL inside of them does. */
const plainStatements = new Set(
  [
    ['block', 'assign', 'if', 'case', 'loop', 'while', 'fori', 'fors', 'forc', 'foreach_a', 'exit', 'return'],
    ['raise', 'assert', 'execsql', 'dynexecute', 'dynfors', 'getdiag', 'open', 'fetch', 'close', 'perform'],
  ].flatMap((names) => names.map((name) => `PLpgSQL_stmt_${name}`)),
)
const dynamicStatements = new Set(['PLpgSQL_stmt_dynexecute', 'PLpgSQL_stmt_dynfors'])

function effectsIn(value: unknown, seen: { facts: Facts; effectOf: EffectOf }, kind = ''): Effect[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) => {
    if (key.startsWith('PLpgSQL_stmt_') && !plainStatements.has(key)) return [unseen]
    const isDynamic = key === 'dynquery' || (key === 'query' && dynamicStatements.has(kind))
    if (isDynamic) return dynamicEffects((part as { PLpgSQL_expr: Expression }).PLpgSQL_expr, seen)
    if (key === 'PLpgSQL_expr') return sqlEffects(statementOf(part as Expression), seen)
    return effectsIn(part, seen, Array.isArray(value) ? kind : key)
  })
}

/** As the parser of PL/pgSQL marks them: a whole statement is 0, an expression 2, and what is more an assignment. */
function statementOf({ query = '', parseMode = 0 }: Expression): string {
  if (parseMode === 0) return query
  return `select ${parseMode === 2 ? query : query.replace(/^.*?:?=/s, '')}`
}

/** Of `execute`: a constant text is known, and nothing else is. */
function dynamicEffects(expression: Expression, seen: { facts: Facts; effectOf: EffectOf }): Effect[] {
  const [statement] = parseSync(statementOf(expression)).stmts ?? []
  const target =
    statement?.stmt && 'SelectStmt' in statement.stmt && statement.stmt.SelectStmt.targetList?.[0]
  const value = target && 'ResTarget' in target && target.ResTarget.val
  const text = value && 'A_Const' in value ? value.A_Const.sval?.sval : undefined
  return text === undefined ? [unseen] : sqlEffects(text, seen)
}

function sqlEffects(sql: string, { facts, effectOf }: { facts: Facts; effectOf: EffectOf }): Effect[] {
  return (parseSync(sql).stmts ?? []).flatMap(({ stmt }) =>
    stmt ? [effectOf(stmt, facts), ...(callsUnknown(stmt) ? [unseen] : [])] : [],
  )
}

/** Functions of PostgreSQL that blocks use and that change nothing; of all others nobody knows. */
const knownFunctions = new Set(
  [
    ['count', 'sum', 'min', 'max', 'avg', 'array_agg', 'string_agg', 'bool_and', 'bool_or', 'row_number'],
    ['now', 'clock_timestamp', 'current_setting', 'current_database', 'current_schema', 'version'],
    [
      'lower',
      'upper',
      'length',
      'trim',
      'btrim',
      'left',
      'right',
      'replace',
      'concat',
      'concat_ws',
      'format',
    ],
    ['quote_ident', 'quote_literal', 'to_regclass', 'to_char', 'timezone', 'date_trunc', 'round', 'abs'],
    [
      'generate_series',
      'unnest',
      'array_length',
      'cardinality',
      'gen_random_uuid',
      'md5',
      'has_table_privilege',
    ],
    ['jsonb_build_object', 'jsonb_build_array', 'jsonb_each', 'jsonb_array_elements', 'regexp_replace'],
  ].flat(),
)

function callsUnknown(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if ('FuncCall' in value) {
    const { funcname = [] } = value.FuncCall as { funcname?: { String?: { sval?: string } }[] }
    const names = funcname.map((part) => part.String?.sval ?? '')
    const isOwn = names.length > 1 && names[0] !== 'pg_catalog'
    if (isOwn || !knownFunctions.has(names.at(-1) ?? '')) return true
  }
  return Object.values(value).some(callsUnknown)
}
