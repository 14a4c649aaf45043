import type { ModelSnapshot } from '@keel/framework/data'
import { loadModule, type Node, parse } from 'libpg-query'
import type { Effect } from './effect.js'
import { blockedBy, lockModes, strongestLocks, type TableLock } from './lock-modes.js'
import { effectOf } from './statement-effects.js'

/** A statement of a migration and what it does to those who work with the database meanwhile. */
export interface AnalysedStatement {
  readonly text: string
  /** Where it begins in the text that was given, from 1. */
  readonly line: number
  /** The strongest lock on each table that was there before. */
  readonly locks: readonly TableLock[]
  /** A whole table is written anew under the lock. */
  readonly rewrites: boolean
  /** All rows are read under the lock. */
  readonly scans: boolean
  /** The data that is lost for good. */
  readonly destroys?: string
  /** Programs or statements that fail, or may fail. */
  readonly breaks?: string
  /** The way that disturbs less. */
  readonly safer?: string
  /** It can't run in a transaction, which every migration is. */
  readonly outsideTransaction: boolean
  /** A part of what it does only shows when it runs: code in a `do` block, a procedure. */
  readonly isUnseen: boolean
  /** True when a person should look at it before it runs where others work. */
  readonly isDangerous: boolean
}

/** A statement that loses something for good. */
export interface DestructiveStatement {
  readonly text: string
  readonly line: number
  readonly destroys: string
}

/** Facts about the database that scripts will run on. */
export interface AnalysisFacts {
  /** The tables of the database; without them a statement is taken at its worst. */
  readonly model?: ModelSnapshot
  /**
   * Tables that a script before made, and their indexes: they are nobody's yet, so that nothing done to them disturbs or loses anything.
   * Those that this script makes are added.
   */
  readonly fresh?: Set<string>
}

/** Analyses each statement of a script. Throws for text that is not SQL. */
export async function analyseStatements(
  sql: string,
  { model, fresh = new Set() }: AnalysisFacts = {},
): Promise<AnalysedStatement[]> {
  return (await splitStatements(sql)).map(({ node, text, line }) => {
    const effect = effectOf(node, { fresh, ...(model && { model }) })
    const analysed = { text, line, ...summaryOf(effect, fresh) }
    if ('CreateStmt' in node && !exists(node.CreateStmt.relation?.relname, model))
      fresh.add(node.CreateStmt.relation?.relname ?? '')
    if ('IndexStmt' in node && fresh.has(node.IndexStmt.relation?.relname ?? ''))
      fresh.add(node.IndexStmt.idxname ?? '')
    if ('CreateTableAsStmt' in node) fresh.add(node.CreateTableAsStmt.into?.rel?.relname ?? '')
    return analysed
  })
}

/** `create table if not exists` makes nothing where the table is. */
const exists = (table: string | undefined, model: ModelSnapshot | undefined): boolean =>
  model?.tables.some(({ name }) => name === table) ?? false

/** The statements of a script that lose something for good: these need consent. Scripts that follow each other share their `fresh`. */
export async function destructiveStatements(
  sql: string,
  facts: AnalysisFacts = {},
): Promise<DestructiveStatement[]> {
  return (await analyseStatements(sql, facts)).flatMap(({ text, line, destroys }) =>
    destroys ? [{ text, line, destroys }] : [],
  )
}

function summaryOf(effect: Effect, fresh: ReadonlySet<string>): Omit<AnalysedStatement, 'text' | 'line'> {
  const { destroys, breaks, safer, outsideTransaction = false, isUnseen = false } = effect
  const locks = strongestLocks(effect.locks.filter(({ table }) => !fresh.has(table)))
  const isFresh = effect.locks.length > 0 && locks.length === 0
  const rewrites = !isFresh && effect.rewrites === true
  const scans = !isFresh && effect.scans === true
  const blocks = locks.some(({ mode }) => isBlocking(mode)) || effect.locks.length === 0
  return {
    locks,
    rewrites,
    scans,
    ...(destroys && !isFresh && { destroys }),
    ...(breaks && !isFresh && { breaks }),
    ...(safer && !isFresh && { safer }),
    outsideTransaction,
    isUnseen,
    isDangerous:
      outsideTransaction ||
      isUnseen ||
      (!isFresh && (destroys !== undefined || breaks !== undefined || rewrites || (scans && blocks))),
  }
}

const isBlocking = (mode: TableLock['mode']): boolean =>
  blockedBy(mode) === 'writes' || lockModes.indexOf(mode) >= lockModes.indexOf('ShareLock')

interface SplitStatement {
  readonly node: Node
  readonly text: string
  readonly line: number
}

async function splitStatements(sql: string): Promise<SplitStatement[]> {
  await loadModule()
  const { stmts = [] } = await parse(sql)
  // PostgreSQL counts bytes.
  const bytes = Buffer.from(sql)
  return stmts.flatMap(({ stmt, stmt_location: from = 0, stmt_len: length }) => {
    if (!stmt) return []
    const whole = bytes.subarray(from, length ? from + length : undefined).toString()
    const text = whole.replace(/^(?:\s|--[^\n]*\n)*/, '')
    const before = bytes.subarray(0, from).toString() + whole.slice(0, whole.length - text.length)
    return [{ node: stmt, text: text.trimEnd(), line: before.split('\n').length }]
  })
}
