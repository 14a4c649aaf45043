import { migrations, snapshot } from './migrations/index.js'
import { MigratorHost } from './migrator-host.js'
import { runMigrator } from './program.js'

await runMigrator({ host: MigratorHost, set: { migrations, snapshot }, caller: import.meta.url })
