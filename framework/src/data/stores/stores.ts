import { Injectable } from '../../modularity/injectable.js'
import { Databases } from '../connections/databases.js'
import type { EntityClass } from '../entities/entity.js'
import type { BaseEntity } from '../entities/entity-bases.js'
import { RowRules } from '../entities/row-rules.js'
import { Store } from './store.js'

/**
 * The stores of entities that have no store class of their own.
 * @example await this.stores.of(Port).insertMany(ports, missingRows)
 */
@Injectable()
export class Stores {
  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
  ) {}

  of<T extends BaseEntity>(entity: EntityClass<T>): Store<T> {
    return new Store(entity, this.databases, this.rules)
  }
}
