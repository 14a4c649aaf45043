import type {
  DropStmt,
  IndexStmt,
  Node,
  RangeVar,
  ReindexStmt,
  RenameStmt,
  TruncateStmt,
  UpdateStmt,
  VacuumStmt,
} from 'libpg-query'
import { alterTable } from './alter-table.js'
import { blockEffect, unseen } from './code-block.js'
import { allDependents, type Effect, type Facts, lockOn, relatedTables } from './effect.js'
import { type LockMode, lockModes, type TableLock } from './lock-modes.js'

const none: Effect = { locks: [] }

/** The effect of a statement on other sessions of the database. Kinds that are not listed below have none. */
export function effectOf(node: Node, facts: Facts): Effect {
  const [[kind, statement] = ['', undefined]] = Object.entries(node)
  const effect = effects[kind as StatementKind] as StatementEffect<never> | undefined
  return effect?.(statement as never, facts) ?? none
}

type StatementKind = Node extends infer Each ? (Each extends unknown ? keyof Each : never) : never
type StatementOf<K extends StatementKind> = Extract<Node, Record<K, unknown>>[K &
  keyof Extract<Node, Record<K, unknown>>]
type StatementEffect<T> = (statement: T, facts: Facts) => Effect

/** By the name of PostgreSQL's parser for a statement. */
const effects: { readonly [K in StatementKind]?: StatementEffect<StatementOf<K>> } = {
  AlterTableStmt: alterTable,
  RenameStmt: rename,
  IndexStmt: createIndex,
  DropStmt: drop,
  CreateStmt: (statement) => ({
    locks: foreignTables(statement)
      .filter((name) => name !== statement.relation?.relname)
      .map((table) => ({ table, mode: 'ShareRowExclusiveLock' })),
  }),
  CreateTableAsStmt: ({ query }) => ({ locks: readTables(query).map(shared) }),
  ViewStmt: ({ query }) => ({ locks: readTables(query).map(shared) }),
  TruncateStmt: truncate,
  SelectStmt: (statement) => {
    const mode = statement.lockingClause?.length ? 'RowShareLock' : 'AccessShareLock'
    return { locks: readTables(statement).map((table) => ({ table, mode })) }
  },
  InsertStmt: (statement) => writeRows(statement),
  UpdateStmt: update,
  DeleteStmt: (statement) => ({
    ...writeRows(statement),
    destroys: `${statement.whereClause ? 'rows' : 'all rows'} of ${statement.relation?.relname}`,
  }),
  MergeStmt: (statement) => ({
    ...writeRows(statement),
    ...(JSON.stringify(statement).includes('CMD_DELETE') && {
      destroys: `rows of ${statement.relation?.relname}`,
    }),
  }),
  CreateTrigStmt: ({ relation }) => lockOn(relation?.relname ?? '', 'ShareRowExclusiveLock'),
  RuleStmt: ({ relation }) => lockOn(relation?.relname ?? '', 'AccessExclusiveLock'),
  CreatePolicyStmt: ({ table }) => lockOn(table?.relname ?? '', 'AccessExclusiveLock'),
  AlterPolicyStmt: ({ table }) => lockOn(table?.relname ?? '', 'AccessExclusiveLock'),
  CreateStatsStmt: ({ relations = [] }) => ({
    locks: relations.flatMap(relationName).map((table) => ({ table, mode: 'ShareUpdateExclusiveLock' })),
  }),
  LockStmt: ({ relations = [], mode: number = 8 }) => {
    const mode = lockModes[number - 1] ?? 'AccessExclusiveLock'
    const isStrong = lockModes.indexOf(mode) >= lockModes.indexOf('ShareLock')
    return {
      locks: relations.flatMap(relationName).map((table) => ({ table, mode })),
      ...(isStrong && { breaks: 'everybody who works with it until the migration ends' }),
    }
  },
  CommentStmt: comment,
  VacuumStmt: vacuum,
  ClusterStmt: ({ relation }) => ({
    ...lockOn(relation?.relname ?? '', 'AccessExclusiveLock'),
    rewrites: true,
    safer: 'Use an online tool such as pg_repack.',
  }),
  ReindexStmt: reindex,
  RefreshMatViewStmt: ({ relation, concurrent }) =>
    concurrent
      ? lockOn(relation?.relname ?? '', 'ExclusiveLock')
      : {
          ...lockOn(relation?.relname ?? '', 'AccessExclusiveLock'),
          rewrites: true,
          safer: 'Give the view a unique index and refresh it concurrently.',
        },
  AlterDomainStmt: ({ subtype, typeName = [] }) =>
    subtype === 'AD_AddConstraint' || subtype === 'AD_SetNotNull'
      ? {
          ...none,
          scans: true,
          breaks: 'writes to every table that uses the domain while all of them are read',
          safer: 'Add the constraint "not valid" and validate it in a migration of its own.',
        }
      : { ...none, breaks: `programs that use the domain ${typeName.map((part) => nameOf(part)).at(-1)}` },
  CreateDomainStmt: ({ constraints = [] }) =>
    constraints.length
      ? {
          ...none,
          breaks: 'later changes: another constraint of a domain reads every table that uses it, under locks',
          safer: 'Use the plain type, and a check on the column.',
        }
      : none,
  DropdbStmt: ({ dbname }) => ({ ...none, destroys: `the database ${dbname}`, outsideTransaction: true }),
  CreatedbStmt: () => ({ ...none, outsideTransaction: true }),
  DropOwnedStmt: () => ({ ...none, destroys: 'everything that the role owns' }),
  AlterObjectSchemaStmt: ({ relation }) => ({
    ...(relation?.relname ? lockOn(relation.relname, 'AccessExclusiveLock') : none),
    breaks: `programs that look for ${relation?.relname ?? 'it'} in its old schema`,
  }),
  DoStmt: (statement, facts) => blockEffect(statement, facts, effectOf),
  CallStmt: () => unseen,
  TransactionStmt: () => ({
    ...none,
    breaks: "the migration's own transaction: a part of it would stay when a later part fails",
    safer: 'Leave it out: every migration is one transaction.',
  }),
}

/** Of `insert`, `update`, `delete` and `merge`: its own table, and those that it only reads. */
function writeRows(statement: { relation?: RangeVar }): Effect {
  const table = statement.relation?.relname ?? ''
  const others = readTables(statement).filter((name) => name !== table)
  return { locks: [{ table, mode: 'RowExclusiveLock' }, ...others.map(shared)] }
}

function update(statement: UpdateStmt): Effect {
  if (statement.whereClause) return writeRows(statement)
  return {
    ...writeRows(statement),
    scans: true,
    breaks: `everybody else's updates of ${statement.relation?.relname}: they wait until all rows are written`,
    safer: 'Update in batches, in a program or in migrations of their own.',
  }
}

function truncate({ relations = [], behavior }: TruncateStmt, facts: Facts): Effect {
  const tables = relations.flatMap(relationName)
  const cascades = behavior === 'DROP_CASCADE'
  const all = [...tables, ...(cascades ? allDependents(tables, facts) : [])]
  return {
    locks: all.map((table) => ({ table, mode: 'AccessExclusiveLock' })),
    destroys: `all rows of ${all.join(', ')}${cascades ? ' and of every table that refers to it' : ''}`,
  }
}

function vacuum({ rels = [], options = [], is_vacuumcmd: isVacuum }: VacuumStmt): Effect {
  const isFull = options.some((option) => 'DefElem' in option && option.DefElem.defname === 'full')
  const mode = isFull ? 'AccessExclusiveLock' : 'ShareUpdateExclusiveLock'
  return {
    locks: rels
      .flatMap((node) => ('VacuumRelation' in node ? [node.VacuumRelation.relation?.relname ?? ''] : []))
      .map((table) => ({ table, mode })),
    ...(isFull && {
      rewrites: true,
      safer: 'Let autovacuum do it, or use an online tool such as pg_repack.',
    }),
    ...(isVacuum && { outsideTransaction: true }),
  }
}

function reindex({ relation, kind, params = [] }: ReindexStmt, facts: Facts): Effect {
  const name = relation?.relname ?? ''
  const table = kind === 'REINDEX_OBJECT_INDEX' ? tableOfIndex(name, facts) : name
  if (params.some((param) => 'DefElem' in param && param.DefElem.defname === 'concurrently'))
    return { ...lockOn(table, 'ShareUpdateExclusiveLock'), outsideTransaction: true }
  return {
    ...lockOn(table, 'ShareLock'),
    scans: true,
    safer: 'Reindex concurrently, by hand, outside a migration.',
  }
}

function rename({ renameType, relation, subname, newname }: RenameStmt): Effect {
  const table = relation?.relname ?? ''
  switch (renameType) {
    case 'OBJECT_COLUMN':
      return {
        ...lockOn(table, 'AccessExclusiveLock'),
        breaks: `programs that know ${table}.${subname} by that name`,
        safer: 'Add the new column, write both, change over, and drop the old one with a later release.',
      }
    case 'OBJECT_TABLE':
    case 'OBJECT_VIEW':
    case 'OBJECT_MATVIEW':
      return {
        ...lockOn(table, 'AccessExclusiveLock'),
        breaks: `programs that know ${table} by that name`,
        safer: `Leave an updatable view ${table} over ${newname} until the last old program is gone.`,
      }
    case 'OBJECT_TABCONSTRAINT':
    case 'OBJECT_TRIGGER':
    case 'OBJECT_RULE':
    case 'OBJECT_POLICY':
      return lockOn(table, 'AccessExclusiveLock')
    default:
      return none
  }
}

function createIndex({ relation, concurrent }: IndexStmt): Effect {
  const table = relation?.relname ?? ''
  if (concurrent) return { ...lockOn(table, 'ShareUpdateExclusiveLock'), outsideTransaction: true }
  return {
    ...lockOn(table, 'ShareLock'),
    scans: true,
    safer:
      'Create it concurrently by hand before the release, under the same name and with "if not exists" in the migration.',
  }
}

function drop(statement: DropStmt, facts: Facts): Effect {
  const { removeType, behavior, concurrent, objects = [] } = statement
  const names = objects.map(nameOf)
  const cascades = behavior === 'DROP_CASCADE'
  switch (removeType) {
    case 'OBJECT_TABLE':
      return {
        locks: names.flatMap((table) => {
          const { principals, dependents } = relatedTables(table, facts)
          return [table, ...principals, ...(cascades ? dependents : [])].map((each) => ({
            table: each,
            mode: 'AccessExclusiveLock' as const,
          }))
        }),
        destroys: `${names.map((name) => `the table ${name}`).join(', ')} with all its rows${cascades ? ' and what refers to it' : ''}`,
        breaks: `programs that still use ${names.join(', ')}`,
        safer: 'Release programs that do not use it first; drop it with the release after.',
      }
    case 'OBJECT_INDEX': {
      const tables = names.map((name) => tableOfIndex(name, facts))
      return concurrent
        ? {
            locks: tables.map((table) => ({ table, mode: 'ShareUpdateExclusiveLock' as const })),
            outsideTransaction: true,
          }
        : {
            locks: tables.map((table) => ({ table, mode: 'AccessExclusiveLock' as const })),
            breaks: 'queries that were fast with it; it locks everybody out while it waits for those at work',
            safer: 'Drop it concurrently by hand after the release, with "if exists" in the migration.',
          }
    }
    case 'OBJECT_TRIGGER':
    case 'OBJECT_RULE':
    case 'OBJECT_POLICY':
      return {
        locks: objects.map((object) => ({
          table: nameOf(object, -2),
          mode: 'AccessExclusiveLock' as const,
        })),
      }
    case 'OBJECT_VIEW':
    case 'OBJECT_MATVIEW':
      return {
        locks: names.map((table) => ({ table, mode: 'AccessExclusiveLock' as const })),
        breaks: `programs that read ${names.join(', ')}`,
        ...(cascades && { destroys: `${names.join(', ')} and what is built on it` }),
      }
    case 'OBJECT_SCHEMA':
      return {
        ...none,
        destroys: `the schema ${names.join(', ')}${cascades ? ' with everything in it' : ''}`,
      }
    case 'OBJECT_TYPE':
    case 'OBJECT_DOMAIN':
    case 'OBJECT_EXTENSION':
      return {
        locks: cascades ? names.flatMap((name) => tablesWithType(name, facts)) : [],
        breaks: `what uses ${names.join(', ')}`,
        ...(cascades && { destroys: `every column that uses ${names.join(', ')}` }),
      }
    case 'OBJECT_SEQUENCE':
      return { ...none, destroys: `the count of ${names.join(', ')}` }
    default:
      return cascades ? { ...none, breaks: `what uses ${names.join(', ')}: it goes with it` } : none
  }
}

function comment({ objtype, object }: { objtype?: string; object?: Node }): Effect {
  if (object === undefined) return none
  if (objtype === 'OBJECT_TABLE') return lockOn(nameOf(object), 'ShareUpdateExclusiveLock')
  if (objtype === 'OBJECT_COLUMN') return lockOn(nameOf(object, -2), 'ShareUpdateExclusiveLock')
  return none
}

const tablesWithType = (type: string, { model }: Facts): TableLock[] =>
  (model?.tables ?? [])
    .filter(({ columns }) => columns.some((column) => column.type.replaceAll('"', '') === type))
    .map(({ name }) => ({ table: name, mode: 'AccessExclusiveLock' }))

/** The last word of a possibly qualified name; with -2 the one before. */
function nameOf(node: Node, place = -1): string {
  if ('List' in node) return (node.List.items ?? []).map((item) => nameOf(item)).at(place) ?? ''
  if ('String' in node) return node.String.sval ?? ''
  if ('TypeName' in node) return (node.TypeName.names ?? []).map((item) => nameOf(item)).at(-1) ?? ''
  return ''
}

const relationName = (node: Node): string[] => ('RangeVar' in node ? [node.RangeVar.relname ?? ''] : [])

const shared = (table: string): { table: string; mode: LockMode } => ({ table, mode: 'AccessShareLock' })

/** Every table that a statement names. */
function readTables(value: unknown): string[] {
  const names = new Set<string>()
  const inner = new Set<string>()
  visit(value)
  return [...names].filter((name) => !inner.has(name))

  function visit(part: unknown): void {
    if (typeof part !== 'object' || part === null) return
    if ('RangeVar' in part) {
      const { relname } = part.RangeVar as { relname?: string }
      if (relname) names.add(relname)
    }
    if ('CommonTableExpr' in part) {
      const { ctename } = part.CommonTableExpr as { ctename?: string }
      if (ctename) inner.add(ctename)
    }
    for (const child of Object.values(part)) visit(child)
  }
}

function foreignTables(statement: unknown): string[] {
  const names = new Set<string>()
  visit(statement)
  return [...names]

  function visit(part: unknown): void {
    if (typeof part !== 'object' || part === null) return
    if ('pktable' in part) names.add((part.pktable as { relname?: string }).relname ?? '')
    for (const child of Object.values(part)) visit(child)
  }
}

/** Of an index that the script itself made, the index: what is made is nobody's yet. */
const tableOfIndex = (index: string, { model, fresh }: Facts): string =>
  fresh.has(index)
    ? index
    : (model?.tables.find(({ indexes }) => indexes.some(({ name }) => name === index))?.name ??
      `the table of ${index}`)
