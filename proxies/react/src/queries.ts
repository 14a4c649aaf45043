import { type QueryKey, type UseQueryResult, useQuery as useTanstackQuery } from '@tanstack/react-query'
import { type Call, keyOf } from './keys.js'

/** What TanStack Query needs to know of a call: for its own hooks, and for `prefetchQuery`. */
export interface CallQuery<R> {
  readonly queryKey: QueryKey
  readonly queryFn: () => Promise<R>
}

/**
 * A call as a query of TanStack Query. An operation without a result has the answer null.
 * @example useSuspenseQuery(queryOf(hub.shipments.get, id))
 */
export function queryOf<A extends unknown[], R>(call: Call<A, R>, ...args: A): CallQuery<R> {
  return {
    queryKey: keyOf(call, ...args),
    // `undefined` is no answer for TanStack.
    queryFn: async () => (await call(...args)) ?? (null as R),
  }
}

/**
 * The answer of an operation, cached, and fetched again when a mutation invalidates its service.
 * @example const { data, error } = useQuery(hub.shipments.getList, { filter, maxResultCount: 20 })
 */
export function useQuery<A extends unknown[], R>(call: Call<A, R>, ...args: A): UseQueryResult<R, Error> {
  return useQueryWhen(true, call, ...args)
}

/** {@link useQuery} that asks only when `isWanted`: when a dialog is open, or the caller holds a permission. */
export function useQueryWhen<A extends unknown[], R>(
  isWanted: boolean,
  call: Call<A, R>,
  ...args: A
): UseQueryResult<R, Error> {
  return useTanstackQuery({ ...queryOf(call, ...args), enabled: isWanted })
}

/**
 * Rows of an entity set, cached by the text of their query. Invalidated with the service that its proxy has under the same name.
 * @param read makes one query of the set that it is given, at every rendering: it decides by what the page knows alone
 * @example const { data } = useRows(hub.ports, (ports) => ports.query((q) => q.filter((p) => p.name.contains(text)).top(20)))
 */
export function useRows<S extends object, R>(set: S, read: (set: S) => Promise<R>): UseQueryResult<R, Error> {
  return useTanstackQuery({ queryKey: keyOfRows(set, read), queryFn: () => read(set) })
}

/** The key of the query that `read` makes: found by having it call a set that only writes down what it is called with. */
function keyOfRows<S extends object>(set: S, read: (set: S) => Promise<unknown>): QueryKey {
  const keys: QueryKey[] = []
  const noting = ([operation, call]: [string, unknown]) => [
    operation,
    typeof call !== 'function'
      ? call
      : (...args: unknown[]) => {
          keys.push(keyOf(call as Call, ...args))
          return new Promise(() => undefined)
        },
  ]
  void read(Object.fromEntries(Object.entries(set).map(noting)) as S)
  const [key] = keys
  if (!key || keys.length > 1)
    throw new TypeError('useRows takes a function that makes one query of the set it is given, at once.')
  return key
}
