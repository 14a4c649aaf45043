import { type Constructor, KeelModule, Module } from '@keel/framework'
import { HubModule } from '@keel/hub'
import { PricingModule } from '@keel/pricing'

/**
 * The modules whose databases are brought up here rather than by the migrator, by the name they have on the
 * command line.
 */
export const schemaModules: Readonly<Record<string, Constructor<KeelModule>>> = {
  hub: HubModule,
  pricing: PricingModule,
}

/** All of these modules in one host: their services call each other. */
@Module({ dependsOn: Object.values(schemaModules) })
export class SchemaHost extends KeelModule {}
