import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const own = /^(ConnectionStrings|App|AuthServer|Log)__|^(KEEL_|ASPNETCORE_|DOTNET_|PORT$|VITEST|NODE_ENV)/
/** The environment without what configures hosts: a stranger's. */
export const plainEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !own.test(name)),
)

/** A folder with all that `npm start` needs of this repository, compiled as it is now, that a test may change and then remove. */
export function cloneOfRepository(name: string): string {
  // Beside the tests, with the packages of this clone except its own.
  mkdirSync(join(root, 'test/.generated'), { recursive: true })
  const clone = mkdtempSync(join(root, `test/.generated/${name}-`))
  // PostgreSQL runs as another user there.
  chmodSync(clone, 0o755)
  const isCopied = (path: string) => !['node_modules', '.keel'].includes(basename(path))
  for (const part of ['framework', 'modules', 'hosts', 'migrator', 'package.json', 'tsconfig.base.json'])
    cpSync(join(root, part), join(clone, part), {
      recursive: true,
      preserveTimestamps: true,
      filter: isCopied,
    })
  const packages = join(clone, 'node_modules')
  mkdirSync(join(packages, '@keel'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@keel') symlinkSync(join(root, 'node_modules', name), join(packages, name))
  for (const name of readdirSync(join(clone, 'modules')))
    symlinkSync(join(clone, 'modules', name), join(packages, '@keel', name))
  for (const name of ['framework', 'migrator']) symlinkSync(join(clone, name), join(packages, '@keel', name))
  for (const name of ['api', 'auth'])
    symlinkSync(join(clone, 'hosts', name), join(packages, '@keel', `${name}-host`))
  symlinkSync(join(clone, 'hosts/embedded-postgres'), join(packages, '@keel/embedded-postgres'))
  return clone
}
