import { type FeatureHolder, FeatureHolders } from '@keel/feature-management/contracts'
import { Provides } from '@keel/framework'
import { z } from '@keel/framework/contracts'
import { EditionStore, TenantStore } from './stores.js'

/** Features can be set for the editions and tenants that are not deleted. */
@Provides(FeatureHolders)
export class StoredFeatureHolders extends FeatureHolders {
  constructor(
    private readonly editions: EditionStore,
    private readonly tenants: TenantStore,
  ) {
    super()
  }

  async exists({ providerName, providerKey }: FeatureHolder): Promise<boolean> {
    if (!z.guid().safeParse(providerKey).success) return false
    const store = providerName === 'E' ? this.editions : this.tenants
    return (await store.find(providerKey as string)) !== undefined
  }
}
