import { runMigrator } from './program.js'

await runMigrator({
  caller: import.meta.url,
  load: async () => {
    const [{ MigratorHost }, { migrations, snapshot }] = await Promise.all([
      import('./migrator-host.js'),
      import('./migrations/index.js'),
    ])
    return { host: MigratorHost, set: { migrations, snapshot } }
  },
})
