import { execFile } from 'node:child_process'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)

/** Packages of others that a package manager would fetch, by the folder of the repository whose `node_modules` has them. */
export type Fetched = Readonly<Record<string, readonly string[]>>

/** Packs packages of the repository and unpacks them into a folder's `node_modules`; what others made is linked there. Needs `npm run build`. */
export async function installPacked(
  folder: string,
  packages: readonly string[],
  fetched: Fetched,
): Promise<void> {
  const workspaces = packages.flatMap((name) => ['--workspace', name])
  const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder, ...workspaces]
  const { stdout } = await run('npm', packing, { cwd: root })
  for (const { name, filename } of JSON.parse(stdout) as { name: string; filename: string }[]) {
    const target = join(folder, 'node_modules', name)
    await mkdir(target, { recursive: true })
    await run('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components=1'])
    await rm(join(folder, filename))
  }
  for (const [owner, names] of Object.entries(fetched))
    for (const name of names) {
      const link = join(folder, 'node_modules', name)
      await mkdir(dirname(link), { recursive: true })
      await symlink(join(root, owner, 'node_modules', name), link)
    }
}

/** Runs the compiler of the repository in a folder. Rejects with what it printed (`stdout`) when it finds faults. */
export function compile(folder: string, ...words: string[]): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, [join(root, 'node_modules/@typescript/native/bin/tsc'), ...words], {
    cwd: folder,
  })
}
