import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint } from 'libpg-query'
import { isNarrower, isOnlyWider, mayLose, typeText } from './column-types.js'
import { type Effect, type Facts, lockOn, relatedTables, together } from './effect.js'
import type { LockMode } from './lock-modes.js'
import { isVolatile } from './volatile.js'

/** The effect of `alter table`: the effects of all its commands. */
export function alterTable({ relation, cmds = [] }: AlterTableStmt, facts: Facts): Effect {
  const table = relation?.relname ?? ''
  return together(
    cmds.flatMap((node) => ('AlterTableCmd' in node ? [alterCommand(table, node.AlterTableCmd, facts)] : [])),
  )
}

type CommandName = NonNullable<AlterTableCmd['subtype']>

/** Commands that let others read and write; all that are not listed and have no case below lock everybody out. */
const gentle: Readonly<Partial<Record<CommandName, LockMode>>> = {
  AT_SetStatistics: 'ShareUpdateExclusiveLock',
  AT_SetOptions: 'ShareUpdateExclusiveLock',
  AT_ResetOptions: 'ShareUpdateExclusiveLock',
  AT_SetRelOptions: 'ShareUpdateExclusiveLock',
  AT_ResetRelOptions: 'ShareUpdateExclusiveLock',
  AT_ClusterOn: 'ShareUpdateExclusiveLock',
  AT_DropCluster: 'ShareUpdateExclusiveLock',
  AT_AttachPartition: 'ShareUpdateExclusiveLock',
  AT_EnableTrig: 'ShareRowExclusiveLock',
  AT_DisableTrig: 'ShareRowExclusiveLock',
  AT_EnableTrigAll: 'ShareRowExclusiveLock',
  AT_DisableTrigAll: 'ShareRowExclusiveLock',
  AT_EnableTrigUser: 'ShareRowExclusiveLock',
  AT_DisableTrigUser: 'ShareRowExclusiveLock',
  AT_EnableAlwaysTrig: 'ShareRowExclusiveLock',
  AT_EnableReplicaTrig: 'ShareRowExclusiveLock',
}

function alterCommand(table: string, command: AlterTableCmd, facts: Facts): Effect {
  const { subtype, name = '', def } = command
  const exclusive = lockOn(table, 'AccessExclusiveLock')
  const mode = subtype && gentle[subtype]
  if (mode) return lockOn(table, mode)
  switch (subtype) {
    case 'AT_AddColumn':
      return addColumn(table, columnOf(def), facts)
    case 'AT_DropColumn':
      return {
        ...exclusive,
        destroys: `the values of ${table}.${name}`,
        breaks: `programs that still use ${table}.${name}`,
        safer: `Release programs that do not use ${name} first; drop it with the release after.`,
      }
    case 'AT_AlterColumnType':
      return changeType(table, name, columnOf(def), facts)
    case 'AT_SetNotNull':
      return setNotNull(table, name, facts)
    case 'AT_DropNotNull':
      return {
        ...exclusive,
        breaks: `programs that count on a value in ${table}.${name}`,
        safer: 'Release programs that can do without the value first.',
      }
    case 'AT_SetExpression':
      return {
        ...exclusive,
        rewrites: true,
        safer: `Add a new column, fill it in batches, then change over.`,
      }
    case 'AT_AddConstraint':
      return def && 'Constraint' in def ? addConstraint(table, def.Constraint, facts) : exclusive
    case 'AT_ValidateConstraint': {
      const { principals } = constraintTables(table, name, facts)
      return together([
        { ...lockOn(table, 'ShareUpdateExclusiveLock'), scans: true },
        ...principals.map((principal) => lockOn(principal, 'RowShareLock')),
      ])
    }
    case 'AT_DropConstraint': {
      const { principals, dependents } = constraintTables(table, name, facts)
      return together(
        [table, ...principals, ...dependents].map((each) => lockOn(each, 'AccessExclusiveLock')),
      )
    }
    case 'AT_SetLogged':
    case 'AT_SetUnLogged':
    case 'AT_SetTableSpace':
    case 'AT_SetAccessMethod':
      return {
        ...exclusive,
        rewrites: true,
        safer: 'Copy the rows in batches to a new table beside, then change over.',
      }
    case 'AT_DetachPartition': {
      const gone = { breaks: `programs that look for its rows in ${table}` }
      return def && 'PartitionCmd' in def && def.PartitionCmd.concurrent
        ? { ...lockOn(table, 'ShareUpdateExclusiveLock'), ...gone, outsideTransaction: true }
        : { ...exclusive, ...gone }
    }
    default:
      return exclusive
  }
}

const columnOf = (def: AlterTableCmd['def']): ColumnDef => (def && 'ColumnDef' in def ? def.ColumnDef : {})

function addColumn(table: string, column: ColumnDef, facts: Facts): Effect {
  const name = column.colname ?? ''
  const constraints = (column.constraints ?? []).flatMap((node) =>
    'Constraint' in node ? [node.Constraint] : [],
  )
  const of = (kind: Constraint['contype']): Constraint | undefined =>
    constraints.find(({ contype }) => contype === kind)
  const type = column.typeName ? typeText(column.typeName) : ''
  const isCounted = /^(small|big)?serial\d?$/.test(type) || of('CONSTR_IDENTITY') !== undefined
  const value = of('CONSTR_DEFAULT')?.raw_expr ?? column.raw_default
  const stored = of('CONSTR_GENERATED')
  const effects: Effect[] = [lockOn(table, 'AccessExclusiveLock')]
  const add = (effect: Omit<Effect, 'locks'>): void => {
    effects.push({ locks: [], ...effect })
  }
  const isRequired = of('CONSTR_NOTNULL') !== undefined || of('CONSTR_PRIMARY') !== undefined
  if (isRequired && value === undefined && !isCounted && !stored)
    add({
      breaks: `itself when ${table} has rows: they have no ${name}`,
      safer: `Add ${name} without "not null" or with a constant default, fill it in batches, then require it.`,
    })
  if (isCounted || (stored && stored.generated_kind !== 'v') || isVolatile(value))
    add({
      rewrites: true,
      safer: `Add ${name} without a value, set the default after, and fill it in batches.`,
    })
  for (const constraint of constraints) {
    const { contype } = constraint
    if (contype === 'CONSTR_CHECK' || contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY')
      effects.push(addConstraint(table, constraint, facts))
    if (contype === 'CONSTR_FOREIGN') effects.push(addReference(table, constraint, value !== undefined))
  }
  return together(effects)
}

/** A new column without a value refers to nothing, so that no row is read; but the other table is locked with this one. */
function addReference(table: string, constraint: Constraint, hasValues: boolean): Effect {
  const principal = constraint.pktable?.relname ?? ''
  return {
    locks: [{ table, mode: 'AccessExclusiveLock' }, ...principalLock(constraint)],
    ...(hasValues && { scans: true }),
    breaks: `writes to ${principal} until the migration ends, together with ${table}`,
    safer: `Add the column alone, and the foreign key "not valid" in a migration of its own.`,
  }
}

function changeType(table: string, name: string, def: ColumnDef, { model }: Facts): Effect {
  const exclusive = lockOn(table, 'AccessExclusiveLock')
  const from = model?.tables
    .find((known) => known.name === table)
    ?.columns.find((column) => column.name === name)?.type
  const to = def.typeName ? typeText(def.typeName) : ''
  const isConverted = def.raw_default !== undefined
  if (!isConverted && isOnlyWider(from, to)) return exclusive
  return {
    ...exclusive,
    rewrites: true,
    ...(mayLose(from, to, isConverted) && { destroys: `what of ${table}.${name} does not fit ${to}` }),
    breaks:
      `${isNarrower(from, to) && !isConverted ? `itself when a value of ${table}.${name} does not fit ${to}; ` : ''}` +
      `programs that count on the old type of ${table}.${name}`,
    safer: `Add a new column of type ${to}, write both, fill it in batches, then change over and drop ${name}.`,
  }
}

function setNotNull(table: string, name: string, { model }: Facts): Effect {
  const exclusive = lockOn(table, 'AccessExclusiveLock')
  const checks = model?.tables.find((known) => known.name === table)?.checks ?? []
  const proves = new RegExp(`^\\(*"?${name}"? is not null\\)*$`, 'i')
  if (checks.some(({ condition }) => proves.test(condition))) return exclusive
  return {
    ...exclusive,
    scans: true,
    safer: `Add a check ("${name}" is not null) not valid, validate it in a migration of its own, then set not null and drop the check.`,
  }
}

const notValid =
  'Add it "not valid" and validate it in a migration of its own: that lets others read and write.'

function addConstraint(table: string, constraint: Constraint, facts: Facts): Effect {
  const isChecked = !constraint.skip_validation
  const exclusive = lockOn(table, 'AccessExclusiveLock')
  switch (constraint.contype) {
    case 'CONSTR_FOREIGN':
      return {
        locks: [{ table, mode: 'ShareRowExclusiveLock' }, ...principalLock(constraint)],
        ...(isChecked && { scans: true, safer: notValid }),
      }
    case 'CONSTR_CHECK':
    case 'CONSTR_NOTNULL':
      return { ...exclusive, ...(isChecked && { scans: true, safer: notValid }) }
    case 'CONSTR_PRIMARY':
    case 'CONSTR_UNIQUE':
    case 'CONSTR_EXCLUSION': {
      if (constraint.indexname) return exclusive
      if (facts.fresh.has(table)) return exclusive
      return {
        ...exclusive,
        scans: true,
        safer: 'Build a unique index concurrently by hand before, then add the constraint using it.',
      }
    }
    default:
      return exclusive
  }
}

const principalLock = ({ pktable }: Constraint): { table: string; mode: LockMode }[] =>
  pktable?.relname ? [{ table: pktable.relname, mode: 'ShareRowExclusiveLock' }] : []

/** The other tables that a constraint ties its table to, where it is known. */
function constraintTables(
  table: string,
  name: string,
  facts: Facts,
): { principals: string[]; dependents: string[] } {
  const own = facts.model?.tables.find((known) => known.name === table)
  const key = own?.foreignKeys.find((known) => known.name === name)
  if (key) return { principals: [key.principalTable].filter((other) => other !== table), dependents: [] }
  if (own?.primaryKey.name === name)
    return { principals: [], dependents: relatedTables(table, facts).dependents }
  return { principals: [], dependents: [] }
}
