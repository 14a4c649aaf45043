import { describe, expect, test } from 'vitest'
import { KeptTotals } from './kept-totals.js'

interface Read {
  readonly totals: { readonly count: number }
  readonly way: 'known' | 'unknown'
}

describe('kept totals', () => {
  const kept = new KeptTotals<Read['totals']>(32_000, () => 8)

  const refresh = async () => undefined
  const watch = { version: 1 as number | undefined, refresh }

  function read(query: string | undefined, find: () => Promise<number>): Promise<Read> {
    return kept.read<Read>(query === undefined ? undefined : { query, watch }, {
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
    const reads = await Promise.all(Array.from({ length: 5 }, () => read('together', find)))
    expect(reads.map(({ way }) => way)).toEqual(['unknown', 'known', 'known', 'known', 'known'])
    expect(await read('together', find)).toEqual({ totals: { count: 1 }, way: 'known' })
  })

  test('are found anew for another version of the tables', async () => {
    expect(await read('changing', async () => 1)).toMatchObject({ way: 'unknown' })
    watch.version = 2
    expect(await read('changing', async () => 2)).toEqual({ totals: { count: 2 }, way: 'unknown' })
    expect(await read('changing', async () => 3)).toEqual({ totals: { count: 2 }, way: 'known' })
  })

  test('are not kept while changes of the tables are not heard', async () => {
    const before = watch.version
    watch.version = undefined
    expect(await read('unheard', async () => 1)).toMatchObject({ way: 'unknown' })
    expect(await read('unheard', async () => 2)).toEqual({ totals: { count: 2 }, way: 'unknown' })
    watch.version = before
    expect(await read('unheard', async () => 3)).toEqual({ totals: { count: 3 }, way: 'unknown' })
  })

  test('make room when their tables change, and those of other tables stay', async () => {
    const [changing, other] = [
      { version: 1, refresh },
      { version: 1, refresh },
    ]
    // There is room for 32.
    const few = new KeptTotals<Read['totals']>(32_000, () => 690)
    const ways: string[] = []
    const count = async (query: string, watched: typeof changing): Promise<void> => {
      const known = async (totals: Read['totals']): Promise<Read> => ({ totals, way: 'known' })
      const unknown = async (): Promise<Read> => ({ totals: { count: 1 }, way: 'unknown' })
      ways.push((await few.read<Read>({ query, watch: watched }, { known, unknown })).way)
    }
    await count('stays', other)
    for (let number = 0; number < 100; number += 1) {
      await count(`now ${number}`, changing)
      changing.version += 1
    }
    await count('stays', other)
    expect([ways.filter((way) => way === 'known').length, ways.at(-1)]).toEqual([1, 'known'])
  })

  test('are tried by the next of those who wait when finding them fails', async () => {
    const failing = read('failing', () => Promise.reject(new Error('the caller has gone')))
    const others = Promise.all([read('failing', async () => 7), read('failing', async () => 8)])
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
    const count = (number: number) =>
      few.read<Read>(
        { query: `q${number}`, watch },
        {
          known: async (totals) => ({ totals, way: 'known' }),
          unknown: async () => {
            found.push(number)
            return { totals: { count: number }, way: 'unknown' }
          },
        },
      )
    const all = Array.from({ length: 33 }, (_, index) => index + 1)
    for (const number of [...all, 33, 1]) await count(number)
    expect(found).toEqual([...all, 1])
  })

  test('are found by everybody where nothing may be kept', async () => {
    expect(await read(undefined, async () => 1)).toMatchObject({ way: 'unknown' })
    expect(await read(undefined, async () => 2)).toEqual({ totals: { count: 2 }, way: 'unknown' })
  })
})
