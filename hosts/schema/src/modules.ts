import { HubModule } from '@keel/hub'
import type { SchemaModules } from '@keel/migrator/schema'
import { PricingModule } from '@keel/pricing'

/**
 * The modules whose databases are brought up here rather than by the migrator, by the name they have on the
 * command line.
 */
export const schemaModules: SchemaModules = {
  hub: HubModule,
  pricing: PricingModule,
}
