import type { Model, Repository } from 'sequelize-typescript'
import { Injectable } from '../../modularity/injectable.js'
import { Databases } from '../connections/databases.js'
import type { EntityClass } from '../entities/entity.js'
import { RowRules } from '../entities/row-rules.js'

/**
 * Sequelize's models of entities: reads with associations, includes, scopes and aggregates, in the unit of work at hand. Soft delete and row
 * rules hold in each of them and in all includes. A column with `references` is an association by its name without `Id`; further ones are
 * declared by sequelize-typescript's decorators on the entity. Rows with stamps, marks or rules are written by their store; others here, too.
 * @example
 * constructor(private readonly models: Models) {}
 * const { rows, count } = await this.models.of(Shipment).findAndCountAll({ include: ['originPort'], where: { isOnHold: true }, limit: 20 })
 */
@Injectable()
export class Models {
  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
  ) {}

  /** The model of an entity. Throws when no module of the host lists it. */
  of<T extends Model>(entity: EntityClass<T>): Repository<T> {
    return this.databases.of(entity as EntityClass).readableModel(entity, this.rules)
  }
}
