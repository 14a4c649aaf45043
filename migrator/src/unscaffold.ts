import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelSnapshot } from '@keel/framework/data'
import { Refusal } from './exit-codes.js'
import type { MigrationSet } from './migration.js'
import { indexSource, refuseStaleBuild, snapshotSource } from './scaffold.js'

/**
 * Takes back what `scaffoldMigration` wrote last: removes the migration and brings `index.ts` and `snapshot.json` back to the one before. Answers its
 * name. Git knows the model before it, and whether it was released; without Git, and when it was, it is refused.
 */
export function unscaffoldMigration(folder: string, set: MigrationSet): string {
  const last = set.migrations.at(-1)
  if (!last) throw new Refusal('scaffoldRefused', 'There is no migration to remove')
  refuseStaleBuild(folder, set)
  const { name } = last
  const file = `${name}.ts`
  if (!existsSync(join(folder, file)))
    throw new Refusal(
      'scaffoldRefused',
      `${join(folder, file)} does not exist: it is not written in this repository`,
    )
  const added = git(folder, 'log', '-1', '--diff-filter=A', '--format=%H', '--', file).trim()
  const releases = added ? git(folder, 'tag', '--contains', added).trim().split('\n').filter(Boolean) : []
  if (releases.length)
    throw new Refusal(
      'scaffoldRefused',
      `${name} was released with ${releases[0]}: others have applied it. Undo the change of the model and write a new migration`,
    )
  const before = JSON.parse(
    git(folder, 'show', `${added ? `${added}~1` : 'HEAD'}:./snapshot.json`),
  ) as ModelSnapshot
  const names = set.migrations.slice(0, -1).map((migration) => migration.name)
  const index = git(folder, 'show', `${added ? `${added}~1` : 'HEAD'}:./index.ts`)
  if (index !== indexSource(names))
    throw new Refusal(
      'scaffoldRefused',
      `Git does not know the model before ${name}: the migrations before it were written or changed at the same time. Remove it by hand`,
    )
  rmSync(join(folder, file))
  writeFileSync(join(folder, 'snapshot.json'), snapshotSource(before))
  writeFileSync(join(folder, 'index.ts'), index)
  return name
}

function git(folder: string, ...args: readonly string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    })
  } catch (cause) {
    const said = (cause as { stderr?: string }).stderr?.trim().split('\n')[0] ?? (cause as Error).message
    throw new Refusal('scaffoldRefused', `Git can not tell what was there before: ${said}`, { cause })
  }
}
