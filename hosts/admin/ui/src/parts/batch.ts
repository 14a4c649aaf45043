/**
 * Asks for many things at once: the ids that are asked for within one moment become one call.
 * @param fetch answers for all ids; those that it leaves out are null
 */
export function batched<T>(
  fetch: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | null> {
  let waiting: { readonly ids: Set<string>; readonly answer: Promise<ReadonlyMap<string, T>> } | undefined
  return async (id) => {
    if (!waiting) {
      const ids = new Set<string>()
      const answer = new Promise<void>((resolve) => setTimeout(resolve, 10)).then(() => {
        waiting = undefined
        return fetch([...ids])
      })
      waiting = { ids, answer }
    }
    waiting.ids.add(id)
    return (await waiting.answer).get(id) ?? null
  }
}
