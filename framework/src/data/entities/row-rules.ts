import { Application } from '../../modularity/application.js'
import { Injectable } from '../../modularity/injectable.js'
import { identifier, type Sql, sql } from '../wire/sql.js'
import { DataFilters, SoftDelete } from './data-filters.js'
import { type EntityClass, type EntityMeta, entityMeta } from './entity.js'
import type { RowRule, RowScope } from './row-rule.js'

/** Gives the conditions that row rules are for one caller. */
export interface CallerRules {
  /**
   * The conditions that rows of an entity, known by `alias`, must meet for the caller to see them: not deleted, and every rule. A promise only
   * where a rule has to find out about the caller first.
   */
  conditionsFor(entity: EntityMeta, alias: string): Sql[] | Promise<Sql[]>
}

/** Asks what a row rule needs to know of the caller. */
type AskScope = (rule: RowRule) => unknown

/** Turns the row rules of entities into conditions for the caller at hand. */
@Injectable()
export class RowRules implements CallerRules {
  private readonly scopes = new Map<RowRule['scope'], RowScope<unknown>>()
  /** Conditions of entities without rules: the same for everybody. */
  private readonly fixed = new WeakMap<EntityMeta, Map<string, Sql[]>>()

  constructor(private readonly application: Application) {}

  conditionsFor(entity: EntityMeta, alias: string): Sql[] | Promise<Sql[]> {
    return this.conditionsBy(this.currentOf, entity, alias)
  }

  /**
   * The rules for all statements of one answer: what they need to know of the caller is asked once. So a count is kept under the very conditions
   * that it was counted with, even when the caller's rights change between two statements.
   */
  once(): CallerRules {
    const asked = new Map<RowRule['scope'], unknown>()
    const ask: AskScope = (rule) => {
      if (!asked.has(rule.scope)) asked.set(rule.scope, this.currentOf(rule))
      return asked.get(rule.scope)
    }
    return { conditionsFor: (entity, alias) => this.conditionsBy(ask, entity, alias) }
  }

  private conditionsBy(ask: AskScope, entity: EntityMeta, alias: string): Sql[] | Promise<Sql[]> {
    if (!entity.rules.length) return this.fixedFor(entity, alias)
    const table = identifier(alias)
    const alive = notDeleted(entity, table)
    const conditions = entity.rules
      .filter((rule) => DataFilters.isEnabled(rule))
      .map((rule) => conditionOf(rule, ask(rule), table))
    const all = (known: readonly (Sql | undefined)[]) => [
      ...alive,
      ...known.filter((condition) => condition !== undefined),
    ]
    return conditions.every(isKnown) ? all(conditions) : Promise.all(conditions).then(all)
  }

  private fixedFor(entity: EntityMeta, alias: string): Sql[] {
    if (!DataFilters.isEnabled(SoftDelete)) return []
    let byAlias = this.fixed.get(entity)
    if (!byAlias) {
      byAlias = new Map()
      this.fixed.set(entity, byAlias)
    }
    let conditions = byAlias.get(alias)
    if (!conditions) {
      conditions = notDeleted(entity, identifier(alias))
      byAlias.set(alias, conditions)
    }
    return conditions
  }

  private readonly currentOf: AskScope = (rule) => {
    let scope = this.scopes.get(rule.scope)
    if (!scope) {
      // Asking the container costs more than most conditions.
      scope = this.application.get(rule.scope)
      this.scopes.set(rule.scope, scope)
    }
    return DataFilters.enableAll(() => (scope as RowScope<unknown>).current())
  }
}

function conditionOf(
  rule: RowRule,
  current: unknown,
  table: Sql,
): Sql | undefined | Promise<Sql | undefined> {
  return current instanceof Promise
    ? current.then((known) => rule.condition(known, table))
    : rule.condition(current, table)
}

/**
 * The condition that rows of a table are not deleted; none while `DataFilters` shows deleted rows, and for an
 * entity whose rows are deleted for good.
 */
export function notDeleted(entity: EntityMeta, table: Sql): Sql[] {
  return entity.softDelete && DataFilters.isEnabled(SoftDelete) ? [isAlive(table)] : []
}

/**
 * The condition that rows of an entity are not deleted, for statements that are not meant for the caller's eyes: row
 * rules and `DataFilters` are left out. Lists use `visibleRows`. Throws for an entity whose rows are deleted for good.
 * @example sql`select u."Name" as name from "AbpUsers" u where u."Id" = ${id} and ${undeleted(User, 'u')}`
 */
export function undeleted(entity: EntityClass, alias = entityMeta(entity).table): Sql {
  const { softDelete, name } = entityMeta(entity)
  if (!softDelete) throw new Error(`Rows of ${name} are deleted for good`)
  return isAlive(identifier(alias))
}

const isAlive = (table: Sql): Sql => sql`${table}."IsDeleted" = false`

function isKnown(condition: Sql | undefined | Promise<Sql | undefined>): condition is Sql | undefined {
  return !(condition instanceof Promise)
}
