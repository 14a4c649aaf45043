import { useQueryClient, useMutation as useTanstackMutation } from '@tanstack/react-query'
import { type Call, serviceKeyOf } from './keys.js'

/** Runs operations that change something. */
export interface Mutation {
  /** Runs the operation, then invalidates the cached answers of its service and of `alsoInvalidates`. Rejects with its error. */
  readonly run: <A extends unknown[], R>(call: Call<A, R>, ...args: A) => Promise<R>
  readonly isRunning: boolean
}

/**
 * Changes by operations of any proxy. Every cached answer of the operation's service, and of its entity set, is fetched again afterwards, also when
 * the operation failed.
 * @param alsoInvalidates operations of further services whose answers the change touches
 * @example
 * const { run, isRunning } = useMutation(hub.consols.getList)
 * await run(hub.shipments.delete, id)
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
