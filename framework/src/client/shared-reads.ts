/** A call that waits for the headers of a shared answer. */
interface Waiter {
  readonly signal: AbortSignal | undefined
  readonly take: (response: Response) => void
  readonly fail: (reason: unknown) => void
}

interface Reading {
  readonly waiters: Set<Waiter>
  readonly controller: AbortController
}

/**
 * A `fetch` that sends equal GETs of the same moment once: the same address with the same headers, credentials among them, while no answer has
 * come. Every caller gets an answer of its own. A call that is given up ends alone; the request ends with the last one.
 * @example const hub = createHubProxy({ baseUrl, accessToken, fetch: sharedReads() })
 */
export function sharedReads(send: typeof fetch = (...args) => fetch(...args)): typeof fetch {
  const readings = new Map<string, Reading>()
  return async (url, init = {}) => {
    const { method = 'GET', signal, headers } = init
    if (method !== 'GET' || url instanceof Request || init.body) return send(url, init)
    signal?.throwIfAborted()
    const sorted = [...new Headers(headers)].sort(([a], [b]) => (a < b ? -1 : 1))
    const key = JSON.stringify([String(url), sorted])
    const known = readings.get(key)
    const reading = known ?? { waiters: new Set(), controller: new AbortController() }
    const answer = waitIn(reading, signal ?? undefined)
    if (!known) {
      readings.set(key, reading)
      const forget = () => {
        if (readings.get(key) === reading) readings.delete(key)
      }
      reading.controller.signal.addEventListener('abort', forget)
      void send(url, { ...init, signal: reading.controller.signal }).then(
        (response) => {
          forget()
          hand(response, [...reading.waiters])
        },
        (reason: unknown) => {
          forget()
          for (const { fail } of reading.waiters) fail(reason)
        },
      )
    }
    return answer
  }
}

function waitIn({ waiters, controller }: Reading, signal: AbortSignal | undefined): Promise<Response> {
  return new Promise((resolve, reject) => {
    const waiter: Waiter = { signal, take: resolve, fail: reject }
    waiters.add(waiter)
    signal?.addEventListener(
      'abort',
      () => {
        waiters.delete(waiter)
        reject(signal.reason)
        if (!waiters.size) controller.abort(signal.reason)
      },
      { once: true },
    )
  })
}

/** The last one gets the answer itself: a copy that nobody reads would be kept whole. */
function hand(response: Response, waiters: readonly Waiter[]): void {
  for (const [index, { signal, take }] of waiters.entries()) {
    const own = index === waiters.length - 1 ? response : response.clone()
    const { status, statusText, headers, body } = own
    // A copy ends with its own call, not with the request.
    const read = body && signal ? body.pipeThrough(new TransformStream(), { signal }) : body
    take(read === body ? own : new Response(read, { status, statusText, headers }))
  }
}
