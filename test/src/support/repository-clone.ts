import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const own = /^(ConnectionStrings|App|AuthServer|Log)__|^(KEEL_|ASPNETCORE_|DOTNET_|PORT$|VITEST|NODE_ENV)/
/** The environment without what configures hosts: a stranger's. */
export const plainEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !own.test(name)),
)

/** In a clone: makes what is there the state that `git status` compares with. */
export const commitAll =
  'git init -q && git add -A && git -c user.name=test -c user.email=test@example.com commit -qm before'

const notCopied = new Set(['node_modules', '.keel', '.generated', '.git', '.nx'])

/** A copy of this repository, compiled as it is now, that a test may change and then remove. Its libraries are those of this one. */
export function cloneOfRepository(name: string): string {
  const clone = realpathSync(mkdtempSync(join(tmpdir(), `keel-${name}-`)))
  // PostgreSQL runs as another user there.
  chmodSync(clone, 0o755)
  for (const part of readdirSync(root))
    if (!notCopied.has(part))
      cpSync(join(root, part), join(clone, part), {
        recursive: true,
        preserveTimestamps: true,
        filter: (path) => !notCopied.has(basename(path)),
      })
  const [libraries, packages] = [join(root, 'node_modules'), join(clone, 'node_modules')]
  mkdirSync(join(packages, '@keel'), { recursive: true })
  for (const library of readdirSync(libraries))
    if (!['@keel', '.vite'].includes(library)) symlinkSync(join(libraries, library), join(packages, library))
  for (const own of readdirSync(join(libraries, '@keel')))
    symlinkSync(
      join(clone, relative(root, realpathSync(join(libraries, '@keel', own)))),
      join(packages, '@keel', own),
    )
  const ofAdminUi = join(root, 'hosts/admin/ui/node_modules')
  if (existsSync(ofAdminUi)) symlinkSync(ofAdminUi, join(clone, 'hosts/admin/ui/node_modules'))
  return clone
}
