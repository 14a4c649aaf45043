import { DataModule } from '../data/data.module.js'
import { KeelModule, Module } from '../modularity/module.js'
import { Caches } from './caches.js'
import { RedisModule } from './redis.module.js'

/** Gives a host its {@link Caches}. Those that keep secrets are shared where the host has the `DataProtectionModule`, too. */
@Module({ name: 'Caching', dependsOn: [DataModule, RedisModule], services: [Caches] })
export class CachingModule extends KeelModule {}
