/**
 * Hooks on TanStack Query for the operations of proxies: `useQuery(identity.users.getList, input)`. Nothing is generated: keys come from the
 * names that a proxy gives its members.
 */
import {
  keepPreviousData,
  type QueryKey,
  type UseQueryResult,
  useInfiniteQuery,
  useQueryClient,
  useMutation as useTanstackMutation,
  useQuery as useTanstackQuery,
} from '@tanstack/react-query'

/** An operation of a proxy, such as `identity.users.get`. */
// biome-ignore lint/suspicious/noExplicitAny: operations of all inputs
export type Call<A extends any[] = any[], R = unknown> = (...args: A) => Promise<R>

const names = new WeakMap<object, readonly [remote: string, member: string, operation: string]>()

/** Gives each operation of a proxy its name, which its cached answers are found by. @returns the proxy */
export function nameOperations<P extends object>(remote: string, proxy: P): P {
  for (const [member, client] of Object.entries(proxy))
    for (const [operation, call] of Object.entries(client as object))
      if (typeof call === 'function') names.set(call, [remote, member, operation])
  return proxy
}

function nameOf(call: object): readonly [remote: string, member: string, operation: string] {
  const name = names.get(call)
  if (!name) throw new Error('This operation has no name: pass its proxy to nameOperations first.')
  return name
}

/** The key of an operation's cached answer. */
export function keyOf<A extends unknown[]>(call: Call<A>, ...args: A): QueryKey {
  return [...nameOf(call), ...args]
}

/** The key of all cached answers of an operation's service. */
export function serviceKeyOf(call: Call): QueryKey {
  return nameOf(call).slice(0, 2)
}

/** The answer of an operation, cached, and fetched again when a mutation invalidates its service. */
export function useQuery<A extends unknown[], R>(call: Call<A, R>, ...args: A): UseQueryResult<R, Error> {
  return useQueryWhen(true, call, ...args)
}

/** {@link useQuery} that asks only when `isWanted`: when a dialog is open, or the caller holds a permission. */
export function useQueryWhen<A extends unknown[], R>(
  isWanted: boolean,
  call: Call<A, R>,
  ...args: A
): UseQueryResult<R, Error> {
  return useTanstackQuery({
    queryKey: keyOf(call, ...args),
    // `undefined` is no answer for TanStack.
    queryFn: async () => (await call(...args)) ?? (null as R),
    enabled: isWanted,
  })
}

/** A list with pages of the contracts' shape. */
interface Page<T> {
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
  readonly fetchMore: () => void
  readonly refetch: () => void
}

/** The rows of a paged operation, page after page; rows of the previous input stay until the new ones are there. */
export function useInfiniteList<I extends object, T>(
  list: Call<[input: I], Page<T>>,
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

/** Runs operations that change something. */
export interface Mutation {
  /** Runs the operation, then invalidates the cached answers of its service and of `alsoInvalidates`. */
  readonly run: <A extends unknown[], R>(call: Call<A, R>, ...args: A) => Promise<R>
  readonly isRunning: boolean
}

/**
 * Changes by operations of any proxy. Every cached answer of the operation's service is fetched again afterwards.
 * @param alsoInvalidates operations of further services whose answers the change touches
 */
export function useMutation(...alsoInvalidates: readonly Call[]): Mutation {
  const client = useQueryClient()
  const mutation = useTanstackMutation({
    mutationFn: ({ call, args }: { call: Call; args: unknown[] }) => call(...args),
    onSettled: async (_answer, _error, { call }) => {
      const services = [call, ...alsoInvalidates].map(serviceKeyOf)
      await Promise.all(services.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
  })
  return {
    run: <A extends unknown[], R>(call: Call<A, R>, ...args: A) =>
      mutation.mutateAsync({ call: call as Call, args }) as Promise<R>,
    isRunning: mutation.isPending,
  }
}
