import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/module.js'
import type { EntityMeta } from './entity.js'
import type { RowRule } from './row-rule.js'
import { identifier, type Sql, sql } from './sql.js'

/** Turns the row rules of entities into conditions for the caller at hand. */
@Injectable()
export class RowRules {
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
    return rule.condition(await this.application.get(rule.scope).current(), table)
  }
}
