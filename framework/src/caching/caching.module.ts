import { DataModule } from '../data/data.module.js'
import { KeelModule, Module } from '../modularity/module.js'
import { Caches } from './caches.js'
import { RedisModule } from './redis.module.js'

/** Provides {@link Caches}. Secret ones are shared only with the `DataProtectionModule`. */
@Module({ name: 'Caching', dependsOn: [DataModule, RedisModule], services: [Caches] })
export class CachingModule extends KeelModule {}
