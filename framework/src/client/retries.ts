/** How calls that may be sent twice are repeated after a failed connection, 503 and 429. */
export interface RetryOptions {
  /** How often a call is repeated; 3 when not given. */
  readonly count?: number
  /**
   * How long to wait before the first, second, … repetition. 2, 4, 8 s when not given, each up to a quarter longer, so that many
   * clients do not come back at the same moment. A server that asks for more time gets it.
   */
  readonly waitMs?: (repetition: number) => number
  /** A server that asks for more time than this is not asked again; a minute when not given. */
  readonly longestWaitMs?: number
}

/** Three repetitions after 2, 4 and 8 s. */
export const defaultRetry: RetryOptions = {}

const jitter = 0.25

const waits = new WeakMap<object, number>()

/**
 * Marks an error as one that a repetition may mend, and returns it. @param askedMs how long the server asks
 * to wait
 */
export function passing<E extends Error>(error: E, askedMs = 0): E {
  waits.set(error, askedMs)
  return error
}

/** The milliseconds of a `Retry-After`, of seconds or of a date; undefined without it. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (!text) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Runs `attempt`, and again as `retry` says. Waiting ends with the signal, whose reason is thrown. */
export async function retrying<T>(
  retry: RetryOptions | false,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  const { count = 3, waitMs = standardWait, longestWaitMs = 60_000 } = retry || { count: 0 }
  for (let repetition = 1; ; repetition++) {
    try {
      return await attempt()
    } catch (error) {
      const asked = waits.get(error as object)
      if (repetition > count || asked === undefined || asked > longestWaitMs) throw error
      await sleep(Math.max(asked, waitMs(repetition)), signal)
    }
  }
}

function standardWait(repetition: number): number {
  return 2 ** repetition * 1000 * (1 + Math.random() * jitter)
}

/** Waits; throws the reason of the signal as soon as that is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
