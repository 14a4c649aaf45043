/** A value that is made when it is first asked for, and kept. What a start has no need of does not cost it. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
