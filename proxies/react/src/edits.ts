import { useState } from 'react'
import type { Call } from './keys.js'
import { useMutation } from './mutations.js'

/** A row, or the input of a change, with the stamp of the version that it was read from. */
export interface Stamped {
  readonly concurrencyStamp?: string | null | undefined
}

/** A change that was refused because the row had changed since it was read. */
export interface EditConflict<T, I, R> {
  /** The input that was refused. */
  readonly mine: I
  /** The row as it is stored now. */
  readonly theirs: T
  /** Saves over the stored version: `mine`, or what was made of both. Rejects as {@link Edit.save}. */
  readonly keepMine: (merged?: I) => Promise<R>
  /** Forgets `mine`. */
  readonly takeTheirs: () => void
}

/** Both versions of a row whose change was refused. Its `cause` is the error of the operation. */
export class EditConflictError<T = unknown, I = unknown> extends Error {
  override readonly name = 'EditConflictError'
  readonly status = 409

  constructor(
    readonly mine: I,
    readonly theirs: T,
    cause: Error,
  ) {
    super(cause.message, { cause })
  }
}

/** Saves changes of rows that several people may change. */
export interface Edit<K, T, I, R> {
  /**
   * Saves the input, which has the stamp of the row that it was made from. Rejects with {@link EditConflictError} when the row has another stamp
   * by now, and with the error of the operation otherwise.
   */
  readonly save: (key: K, input: I) => Promise<R>
  /** The last refused change that is not decided yet. */
  readonly conflict: EditConflict<T, I, R> | undefined
  readonly isRunning: boolean
}

/**
 * Optimistic concurrency on stamps: what was changed by others in the meantime is not overwritten unless the person says so. After a 409 the stored
 * row is read, and both versions are there to choose from.
 * @param alsoInvalidates operations of further services whose answers the change touches
 * @example
 * const { save, conflict } = useEdit(hub.shipments.get, hub.shipments.update)
 * await save(shipment.id, { cargoDescription, concurrencyStamp: shipment.concurrencyStamp })
 */
export function useEdit<K, T, I extends object, R>(
  get: Call<[key: K], T>,
  update: Call<[key: K, input: I], R>,
  ...alsoInvalidates: readonly Call[]
): Edit<K, T, I, R> {
  const { run, isRunning } = useMutation(...alsoInvalidates)
  const [conflict, setConflict] = useState<EditConflict<T, I, R>>()

  async function save(key: K, input: I): Promise<R> {
    try {
      const answer = await run(update, key, input)
      setConflict(undefined)
      return answer
    } catch (error) {
      if ((error as { status?: number }).status !== 409) throw error
      const theirs = await get(key)
      const { concurrencyStamp } = theirs as Stamped
      setConflict({
        mine: input,
        theirs,
        keepMine: (merged = input) => save(key, { ...merged, concurrencyStamp }),
        takeTheirs: () => setConflict(undefined),
      })
      throw new EditConflictError(input, theirs, error as Error)
    }
  }
  return { save, conflict, isRunning }
}
