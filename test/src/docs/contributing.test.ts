import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')

test('CONTRIBUTING answers six questions of newcomers, each with a file that is there', () => {
  const [, table = ''] = /^\| To \| Look at \|\n\| --- \| --- \|\n((?:\|.*\n)+)/m.exec(page) ?? []
  const rows = table.trim().split('\n')
  expect(rows.map((row) => row.split(' | ')[0]?.slice(2))).toEqual([
    'add an entity',
    'add a permission',
    'change the error envelope',
    'add a login provider',
    'change how list SQL is made',
    'add a host',
  ])
  const files = rows.map((row) => /\]\(([^)]+)\)/.exec(row)?.[1] ?? '')
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('all permissions of a module stand in its file of permissions', () => {
  const modules = join(root, 'modules')
  const declaring = readdirSync(modules).flatMap((name) =>
    readdirSync(join(modules, name, 'src'), { recursive: true, encoding: 'utf8' })
      .map((path) => join(modules, name, 'src', path))
      .filter((path) => path.endsWith('.ts') && /^@PermissionGroup\(/m.test(readFileSync(path, 'utf8'))),
  )
  expect(declaring.length).toBeGreaterThan(8)
  expect(declaring.filter((path) => !path.endsWith('/contracts/permissions.ts'))).toEqual([])
})
