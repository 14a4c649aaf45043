import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/module.js'
import type { EntityMeta } from './entity.js'
import type { RowRule, RowScope } from './row-rule.js'
import { identifier, type Sql, sql } from './sql.js'

/** Turns the row rules of entities into conditions for the caller at hand. */
@Injectable()
export class RowRules {
  private readonly scopes = new Map<RowRule['scope'], RowScope<unknown>>()

  constructor(private readonly application: Application) {}

  /** The conditions that rows of an entity, known by `alias`, must meet for the caller to see them: not deleted, and every rule. */
  async conditionsFor(entity: EntityMeta, alias: string): Promise<Sql[]> {
    const table = identifier(alias)
    const conditions: Sql[] = entity.softDelete ? [sql`${table}."IsDeleted" = false`] : []
    for (const rule of entity.rules) {
      const condition = await this.conditionOf(rule, table)
      if (condition) conditions.push(condition)
    }
    return conditions
  }

  private async conditionOf(rule: RowRule, table: Sql): Promise<Sql | undefined> {
    let scope = this.scopes.get(rule.scope)
    if (!scope) {
      // Asking the container costs more than most conditions.
      scope = this.application.get(rule.scope)
      this.scopes.set(rule.scope, scope)
    }
    return rule.condition(await scope.current(), table)
  }
}
