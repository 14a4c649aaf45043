import { describe, expect, test } from 'vitest'
import { KeptTotals } from './kept-totals.js'

interface Read {
  readonly totals: { readonly count: number }
  readonly way: 'known' | 'unknown'
}

describe('kept totals', () => {
  const kept = new KeptTotals<Read['totals']>(32_000, () => 8)

  function read(query: string | undefined, version: number, find: () => Promise<number>): Promise<Read> {
    return kept.read<Read>(query === undefined ? undefined : { query, version }, {
      known: async (totals) => ({ totals, way: 'known' }),
      unknown: async () => ({ totals: { count: await find() }, way: 'unknown' }),
    })
  }

  test('are found once by those who ask at the same time, and kept', async () => {
    let found = 0
    const find = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return ++found
    }
    const reads = await Promise.all(Array.from({ length: 5 }, () => read('together', 1, find)))
    expect(reads.map(({ way }) => way)).toEqual(['unknown', 'known', 'known', 'known', 'known'])
    expect(await read('together', 1, find)).toEqual({ totals: { count: 1 }, way: 'known' })
  })

  test('are found anew for another version of the tables', async () => {
    expect(await read('changing', 1, async () => 1)).toMatchObject({ way: 'unknown' })
    expect(await read('changing', 2, async () => 2)).toEqual({ totals: { count: 2 }, way: 'unknown' })
    expect(await read('changing', 2, async () => 3)).toEqual({ totals: { count: 2 }, way: 'known' })
  })

  test('are tried by the next of those who wait when finding them fails', async () => {
    const failing = read('failing', 1, () => Promise.reject(new Error('the caller has gone')))
    const others = Promise.all([read('failing', 1, async () => 7), read('failing', 1, async () => 8)])
    await expect(failing).rejects.toThrow('gone')
    const reads = await others
    expect(reads).toEqual([
      { totals: { count: 7 }, way: 'unknown' },
      { totals: { count: 7 }, way: 'known' },
    ])
  })

  test('make room for others when they are too many', async () => {
    const few = new KeptTotals<Read['totals']>(32_000, () => 690)
    const found: number[] = []
    const count = (version: number) =>
      few.read<Read>(
        { query: `q${version}`, version },
        {
          known: async (totals) => ({ totals, way: 'known' }),
          unknown: async () => {
            found.push(version)
            return { totals: { count: version }, way: 'unknown' }
          },
        },
      )
    const all = Array.from({ length: 33 }, (_, index) => index + 1)
    for (const version of [...all, 33, 1]) await count(version)
    expect(found).toEqual([...all, 1])
  })

  test('are found by everybody where nothing may be kept', async () => {
    expect(await read(undefined, 1, async () => 1)).toMatchObject({ way: 'unknown' })
    expect(await read(undefined, 1, async () => 2)).toEqual({ totals: { count: 2 }, way: 'unknown' })
  })
})
