import { DataModule } from '../../data/data.module.js'
import { KeelModule, Module } from '../../modularity/module.js'
import { IdempotencyKey } from './idempotency-key.js'

/** The table of idempotency keys, for the migrator; hosts that honour keys depend on `IdempotencyModule`. */
@Module({ name: 'IdempotencyTable', dependsOn: [DataModule], entities: [IdempotencyKey] })
export class IdempotencyTableModule extends KeelModule {}
