import { DataModule } from '../../data/data.module.js'
import { personalRows } from '../../data/entities/personal-data.js'
import { KeelModule, Module } from '../../modularity/module.js'
import { IdempotencyKey } from './idempotency-key.js'

/** The table of idempotency keys, for the migrator; hosts that honour keys depend on `IdempotencyModule`. */
@Module({
  name: 'IdempotencyTable',
  dependsOn: [DataModule],
  entities: [IdempotencyKey],
  // The caller stands there as a digest, and rows go after a day.
  personalData: [
    personalRows(IdempotencyKey, {
      name: 'idempotency-keys',
      withheld: ['callerId', 'answer'],
      erasure: 'ShortLived',
    }),
  ],
})
export class IdempotencyTableModule extends KeelModule {}
