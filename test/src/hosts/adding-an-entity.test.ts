import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, shell, startPlatform } from '../support/npm-start.js'
import { cloneOfRepository, commitAll } from '../support/repository-clone.js'
import { isLong } from '../support/size.js'

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/adding-an-entity.md', import.meta.url)),
  'utf8',
)
/** The commands of the page that begin a line, in their order, behind the first block, which makes a clone. */
const [write = '', check = '', start = '', call = ''] = [...page.matchAll(/^```sh\n(.*?)```/gms)]
  .slice(1)
  .map(([, text = '']) => text.trim())
/** The files that the page tells of. */
const told = [...page.matchAll(/^\| `([\w.-]+(?:\/[\w.-]+)+)` \|/gm)].map(([, path = '']) => path)

let clone: string
let platform: Platform | undefined

beforeAll(() => {
  if (isLong) clone = cloneOfRepository('adding-an-entity')
}, 60_000)
afterAll(async () => {
  await platform?.stop()
  if (isLong) rmSync(clone, { recursive: true, force: true })
}, 60_000)

// It compiles and starts a whole clone: `scaffolds.test.ts` compiles what the same commands write.
test.runIf(isLong)(
  'who follows the page from its first command to its last has an entity with green tests that a granted user creates and finds',
  {
    timeout: 900_000,
  },
  async () => {
    await shell(clone, commitAll)
    await shell(clone, write)
    expect((await changedFiles()).map(unnumbered).sort()).toEqual(told.map(unnumbered).sort())
    await shell(clone, check)
    platform = await startPlatform(clone, start)
    const asTold = call
      .replaceAll('http://localhost:4000', platform.apiUrl)
      .replaceAll('http://localhost:4001', platform.authUrl)
    const [created, found, rows] = (await shell(clone, asTold))
      .split(/(?<=\})(?=\{)/)
      .map((text) => JSON.parse(text) as Record<string, unknown>)
    const warehouse = {
      id: expect.any(String),
      code: 'RTM1',
      name: 'Maasvlakte',
      capacityPallets: null,
      isBonded: true,
      openedOn: null,
      organizationId: null,
    }
    expect(created).toEqual(warehouse)
    expect(found).toEqual({ totalCount: 1, items: [created] })
    expect(rows).toMatchObject({ value: [{ Code: 'RTM1', Organization: null }] })
    const byCustomer = asTold
      .replace('username=manager', 'username=customer')
      .replaceAll(`curl -s ${platform.apiUrl}`, `curl -si ${platform.apiUrl}`)
    expect(await shell(clone, byCustomer)).toMatch(/HTTP\/1\.1 403/)
  },
)

async function changedFiles(): Promise<string[]> {
  const lines = await shell(clone, 'git status --short -uall')
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(3))
}

/** A path without the number of a schema script, which grows with every release. */
const unnumbered = (path: string): string => path.replace(/\/\d{4}-/, '/')
