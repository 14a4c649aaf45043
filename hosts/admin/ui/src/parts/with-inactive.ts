import { type Call, keyOf, nameOperations } from '@keel/react'

interface Page<T> {
  readonly totalCount: number
  readonly items: T[]
}

/** What every list takes, and what a list of rows takes that deleting deactivates. */
interface Asked {
  readonly skipCount?: number
  readonly maxResultCount?: number
  readonly isActive?: boolean
}

/** Whether a row of {@link withInactive} is active. */
export function isActiveRow(row: object): boolean {
  return (row as { readonly isActive?: boolean }).isActive !== false
}

/**
 * The active rows of a list, and behind them those that deleting deactivated; each of both in the order that is asked for. The server lists them apart,
 * and a row does not tell its state: {@link isActiveRow} reads it from a member that is added.
 */
export function withInactive<T extends object, I extends object>(
  list: Call<[input: I], Page<T>>,
): Call<[input: I], Page<T>> {
  const [remote, member] = keyOf(list as Call<[]>) as [string, string]
  async function getListWithInactive(input: I & Asked): Promise<Page<T>> {
    const { skipCount = 0, maxResultCount = 100 } = input
    const active = await list({ ...input, isActive: true })
    const free = maxResultCount - active.items.length
    const inactive = await list({
      ...input,
      isActive: false,
      skipCount: Math.max(0, skipCount - active.totalCount),
      // A page that active rows fill tells too how many rows there are.
      maxResultCount: Math.max(1, free),
    })
    return {
      totalCount: active.totalCount + inactive.totalCount,
      items: [
        ...active.items.map((row) => ({ ...row, isActive: true })),
        ...inactive.items.slice(0, free).map((row) => ({ ...row, isActive: false })),
      ],
    }
  }
  return nameOperations(remote, member, { getListWithInactive }).getListWithInactive
}
