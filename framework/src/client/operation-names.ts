/** The name of an operation among those of all clients: its remote service, the member of the proxy (else the contract), and the operation. */
export type OperationName = readonly [remote: string, member: string, operation: string]

// Registered symbols: each installed proxy brings its own copy of this file, and all of them read the same marks.
const nameMark = Symbol.for('keel.operation-name')
const textMark = Symbol.for('keel.arguments-text')

/** A function with the marks of an operation. */
interface Marked {
  [nameMark]?: OperationName
  [textMark]?: (...args: never) => string
}

/**
 * Gives the operations of a client their names. Caches find answers by them. Clients of proxies have theirs.
 * @returns the client
 */
export function nameOperations<C extends object>(remote: string, member: string, client: C): C {
  for (const [operation, call] of Object.entries(client))
    if (typeof call === 'function') (call as Marked)[nameMark] = [remote, member, operation]
  return client
}

/** The name of an operation; undefined for a function that is none. */
export function operationNameOf(call: object): OperationName | undefined {
  return (call as Marked)[nameMark]
}

/** Says what arguments of an operation mean where they are functions, which cannot be compared. */
export function withArgumentsText<F extends (...args: never) => unknown>(
  call: F,
  textOf: (...args: Parameters<F>) => string,
): F {
  ;(call as Marked)[textMark] = textOf
  return call
}

/** Arguments as values that can be compared: those of a query as its text. Throws when they hold functions that say nothing. */
export function comparableArguments(call: object, args: readonly unknown[]): readonly unknown[] {
  const textOf = (call as Marked)[textMark]
  if (textOf) return [textOf(...(args as never))]
  if (args.some((argument) => typeof argument === 'function'))
    throw new TypeError('A function among the arguments of an operation cannot be compared with another one.')
  return args
}
