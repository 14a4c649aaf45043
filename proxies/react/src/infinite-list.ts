import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { type Call, keyOf } from './keys.js'

/** A list with pages of the contracts' shape. */
export interface ListPage<T> {
  readonly totalCount: number
  readonly items: T[]
}

/** The rows that were fetched so far, and how to fetch more. */
export interface InfiniteList<T> {
  readonly rows: readonly T[]
  /** Of all rows that match; 0 until the first answer. */
  readonly totalCount: number
  readonly isLoading: boolean
  readonly isFetchingMore: boolean
  /** True while the rows are those of the previous input. */
  readonly isStale: boolean
  readonly error: Error | null
  /** Fetches the next page; does nothing on the last one, and while a page is fetched. */
  readonly fetchMore: () => void
  readonly refetch: () => void
}

/**
 * The rows of a paged operation, page after page; rows of the previous input stay until the new ones are there.
 * @param pageSize rows of a page: the `maxResultCount` of each call
 * @example const { rows, totalCount, fetchMore } = useInfiniteList(hub.shipments.getList, { filter, sorting: 'shipmentReference' })
 */
export function useInfiniteList<I extends object, T>(
  list: Call<[input: I], ListPage<T>>,
  input: I,
  pageSize = 100,
): InfiniteList<T> {
  const query = useInfiniteQuery({
    queryKey: [...keyOf(list, input), { pageSize }],
    initialPageParam: 0,
    queryFn: ({ pageParam }) => list({ ...input, skipCount: pageParam, maxResultCount: pageSize }),
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, { items }) => sum + items.length, 0)
      return last.items.length > 0 && seen < last.totalCount ? seen : undefined
    },
    placeholderData: keepPreviousData,
  })
  const { data, hasNextPage, isFetchingNextPage, isFetching } = query
  return {
    rows: data?.pages.flatMap(({ items }) => items) ?? [],
    totalCount: data?.pages.at(-1)?.totalCount ?? 0,
    isLoading: query.isPending,
    isFetchingMore: isFetchingNextPage,
    isStale: query.isPlaceholderData,
    error: query.error,
    fetchMore: () => {
      if (hasNextPage && !isFetching) void query.fetchNextPage()
    },
    refetch: () => void query.refetch(),
  }
}
