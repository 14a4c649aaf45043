import { Application } from '../../modularity/application.js'
import { Injectable } from '../../modularity/injectable.js'
import { AvailablePermissions } from '../../security/available-permissions.js'
import { EntityModel } from '../model/entity-model.js'
import { OData } from './odata-settings.js'

/** Models differ by the sets that are off; few combinations occur. */
const mostModels = 16

/**
 * The entity model without the sets whose permission requires a feature or a setting that is off, and without what leads to them. Requests for
 * such a set are answered like requests for a set that does not exist.
 */
@Injectable()
export class ServedModel {
  /** By the names of the sets that are off. */
  private readonly models = new Map<string, EntityModel>()

  constructor(
    private readonly application: Application,
    /** With every set. */
    readonly whole: EntityModel,
    private readonly available: AvailablePermissions,
  ) {}

  /** The model for a caller whose rights are known: they were read after the features and settings. */
  ofCaller(): EntityModel {
    return this.without(this.available.lastWithheld)
  }

  /** The model for a caller who may be anonymous. */
  async now(): Promise<EntityModel> {
    return this.without(await this.available.withheld())
  }

  private without(withheld: ReadonlySet<string>): EntityModel {
    if (withheld.size === 0) return this.whole
    const off = [...this.whole.sets.values()].filter(({ permission }) => withheld.has(permission))
    if (off.length === 0) return this.whole
    const key = off.map(({ name }) => name).join()
    const known = this.models.get(key)
    if (known) return known
    const { unservedSets } = this.application.configuration.read(OData)
    const unserved = [...unservedSets, ...off.map(({ name }) => name)]
    const model = new EntityModel(this.application.modules, unserved, this.application.ownFields)
    if (this.models.size >= mostModels) this.models.clear()
    this.models.set(key, model)
    return model
  }
}
