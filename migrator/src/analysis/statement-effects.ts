import type { DropStmt, IndexStmt, Node, RenameStmt } from 'libpg-query'
import { alterTable } from './alter-table.js'
import { allDependents, type Effect, type Facts, lockOn, relatedTables } from './effect.js'
import { type LockMode, lockModes, type TableLock } from './lock-modes.js'

const none: Effect = { locks: [] }

/** What a statement does to those who work with the database meanwhile. */
export function effectOf(statement: Node, facts: Facts): Effect {
  if ('AlterTableStmt' in statement) return alterTable(statement.AlterTableStmt, facts)
  if ('RenameStmt' in statement) return rename(statement.RenameStmt)
  if ('IndexStmt' in statement) return createIndex(statement.IndexStmt)
  if ('DropStmt' in statement) return drop(statement.DropStmt, facts)
  if ('CreateStmt' in statement) {
    const principals = foreignTables(statement.CreateStmt).filter(
      (name) => name !== statement.CreateStmt.relation?.relname,
    )
    return { locks: principals.map((table) => ({ table, mode: 'ShareRowExclusiveLock' as const })) }
  }
  if ('CreateTableAsStmt' in statement)
    return { locks: readTables(statement.CreateTableAsStmt.query).map(shared) }
  if ('ViewStmt' in statement) return { locks: readTables(statement.ViewStmt.query).map(shared) }
  if ('TruncateStmt' in statement) {
    const { relations = [], behavior } = statement.TruncateStmt
    const tables = relations.flatMap(relationName)
    const more = behavior === 'DROP_CASCADE' ? allDependents(tables, facts) : []
    const all = [...new Set([...tables, ...more])]
    const cascade = behavior === 'DROP_CASCADE' ? ' and of every table that refers to it' : ''
    return {
      locks: all.map((table) => ({ table, mode: 'AccessExclusiveLock' as const })),
      destroys: `all rows of ${all.join(', ')}${cascade}`,
    }
  }
  if ('DeleteStmt' in statement) {
    const table = statement.DeleteStmt.relation?.relname ?? ''
    return {
      locks: [...lockOn(table, 'RowExclusiveLock').locks, ...otherTables(statement, table)],
      destroys: `${statement.DeleteStmt.whereClause ? 'rows' : 'all rows'} of ${table}`,
    }
  }
  if ('UpdateStmt' in statement) {
    const table = statement.UpdateStmt.relation?.relname ?? ''
    const locks = [...lockOn(table, 'RowExclusiveLock').locks, ...otherTables(statement, table)]
    if (statement.UpdateStmt.whereClause) return { locks }
    return {
      locks,
      scans: true,
      breaks: `everybody else's updates of ${table}: they wait until all rows are written`,
      safer: 'Update in batches, in a program or in migrations of their own.',
    }
  }
  if ('InsertStmt' in statement) {
    const table = statement.InsertStmt.relation?.relname ?? ''
    return { locks: [...lockOn(table, 'RowExclusiveLock').locks, ...otherTables(statement, table)] }
  }
  if ('MergeStmt' in statement) {
    const table = statement.MergeStmt.relation?.relname ?? ''
    const deletes = JSON.stringify(statement.MergeStmt).includes('CMD_DELETE')
    return {
      locks: [...lockOn(table, 'RowExclusiveLock').locks, ...otherTables(statement, table)],
      ...(deletes && { destroys: `rows of ${table}` }),
    }
  }
  if ('SelectStmt' in statement) {
    const isLocking = (statement.SelectStmt.lockingClause ?? []).length > 0
    const mode = isLocking ? 'RowShareLock' : 'AccessShareLock'
    return { locks: readTables(statement).map((table) => ({ table, mode })) }
  }
  if ('CreateTrigStmt' in statement)
    return lockOn(statement.CreateTrigStmt.relation?.relname ?? '', 'ShareRowExclusiveLock')
  if ('RuleStmt' in statement)
    return lockOn(statement.RuleStmt.relation?.relname ?? '', 'AccessExclusiveLock')
  if ('CreatePolicyStmt' in statement)
    return lockOn(statement.CreatePolicyStmt.table?.relname ?? '', 'AccessExclusiveLock')
  if ('AlterPolicyStmt' in statement)
    return lockOn(statement.AlterPolicyStmt.table?.relname ?? '', 'AccessExclusiveLock')
  if ('CreateStatsStmt' in statement)
    return {
      locks: (statement.CreateStatsStmt.relations ?? [])
        .flatMap(relationName)
        .map((table) => ({ table, mode: 'ShareUpdateExclusiveLock' as const })),
    }
  if ('LockStmt' in statement) {
    const { relations = [], mode = 8 } = statement.LockStmt
    const name = lockModes[mode - 1] ?? 'AccessExclusiveLock'
    const strong = lockModes.indexOf(name) >= lockModes.indexOf('ShareLock')
    return {
      locks: relations.flatMap(relationName).map((table) => ({ table, mode: name })),
      ...(strong && { breaks: 'everybody who works with it until the migration ends' }),
    }
  }
  if ('CommentStmt' in statement) return comment(statement.CommentStmt)
  if ('VacuumStmt' in statement) {
    const { rels = [], options = [], is_vacuumcmd: isVacuum } = statement.VacuumStmt
    const isFull = options.some((option) => 'DefElem' in option && option.DefElem.defname === 'full')
    const mode: LockMode = isFull ? 'AccessExclusiveLock' : 'ShareUpdateExclusiveLock'
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
  if ('RepackStmt' in statement || 'ClusterStmt' in statement) {
    const { relation } = (statement as { ClusterStmt: { relation?: { relname?: string } } }).ClusterStmt
    return {
      ...lockOn(relation?.relname ?? '', 'AccessExclusiveLock'),
      rewrites: true,
      safer: 'Use an online tool such as pg_repack.',
    }
  }
  if ('ReindexStmt' in statement) {
    const { relation, kind, params = [] } = statement.ReindexStmt
    const isOnline = params.some((param) => 'DefElem' in param && param.DefElem.defname === 'concurrently')
    const table =
      kind === 'REINDEX_OBJECT_INDEX' ? tableOfIndex(relation?.relname ?? '', facts) : relation?.relname
    return isOnline
      ? { ...lockOn(table ?? '', 'ShareUpdateExclusiveLock'), outsideTransaction: true }
      : {
          ...lockOn(table ?? '', 'ShareLock'),
          scans: true,
          safer: 'Reindex concurrently, by hand, outside a migration.',
        }
  }
  if ('RefreshMatViewStmt' in statement) {
    const { relation, concurrent } = statement.RefreshMatViewStmt
    return concurrent
      ? lockOn(relation?.relname ?? '', 'ExclusiveLock')
      : {
          ...lockOn(relation?.relname ?? '', 'AccessExclusiveLock'),
          rewrites: true,
          safer: 'Give the view a unique index and refresh it concurrently.',
        }
  }
  if ('AlterDomainStmt' in statement) {
    const { subtype, typeName = [] } = statement.AlterDomainStmt
    if (subtype === 'AD_AddConstraint' || subtype === 'AD_SetNotNull')
      return {
        ...none,
        scans: true,
        breaks: 'writes to every table that uses the domain while all of them are read',
        safer: 'Add the constraint "not valid" and validate it in a migration of its own.',
      }
    return { ...none, breaks: `programs that use the domain ${typeName.map((part) => nameOf(part)).at(-1)}` }
  }
  if ('CreateDomainStmt' in statement)
    return statement.CreateDomainStmt.constraints?.length
      ? {
          ...none,
          breaks: 'later changes: another constraint of a domain reads every table that uses it, under locks',
          safer: 'Use the plain type, and a check on the column.',
        }
      : none
  if ('DropdbStmt' in statement)
    return { ...none, destroys: `the database ${statement.DropdbStmt.dbname}`, outsideTransaction: true }
  if ('CreatedbStmt' in statement) return { ...none, outsideTransaction: true }
  if ('DropOwnedStmt' in statement) return { ...none, destroys: 'everything that the role owns' }
  if ('AlterObjectSchemaStmt' in statement) {
    const table = statement.AlterObjectSchemaStmt.relation?.relname
    const moved: Effect = { ...none, breaks: `programs that look for ${table ?? 'it'} in its old schema` }
    return table ? { ...lockOn(table, 'AccessExclusiveLock'), breaks: moved.breaks ?? '' } : moved
  }
  if ('DoStmt' in statement || 'CallStmt' in statement)
    return {
      ...none,
      breaks: 'what only the code inside knows: it can not be seen from here',
      safer: 'Write it as plain SQL.',
    }
  if ('TransactionStmt' in statement)
    return {
      ...none,
      breaks: "the migration's own transaction: a part of it would stay when a later part fails",
      safer: 'Leave it out: every migration is one transaction.',
    }
  return none
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

const otherTables = (statement: Node, table: string): { table: string; mode: LockMode }[] =>
  readTables(statement)
    .filter((name) => name !== table)
    .map(shared)

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
