import { LiveEventAppService } from '@keel/background-work/contracts'
import type { TestCaller } from '@keel/framework/testing'

/** An event as a browser gets it. */
export interface ReceivedEvent {
  readonly kind: string
  readonly data: unknown
}

/** An event stream that a test has open. */
export interface ReceivedStream {
  readonly headers: Headers
  /** All events so far. */
  readonly events: readonly ReceivedEvent[]
  /** The comments so far: signs of life. */
  readonly beats: number
  readonly isOver: boolean
  /** The kinds of all events so far. */
  readonly kinds: readonly string[]
  close(): void
}

/** Gets a ticket and opens a stream with it, at another copy of the host when its address is given. Throws the answer's status when it is refused. */
export async function openStream(who: TestCaller, url?: string): Promise<ReceivedStream> {
  const { path } = await who.service(LiveEventAppService).createTicket()
  return openPath(who, path, url)
}

/** Opens a stream at the path of a ticket. */
export async function openPath(
  who: Pick<TestCaller, 'fetch'>,
  path: string,
  url?: string,
): Promise<ReceivedStream> {
  const end = new AbortController()
  // As a browser does it: without the header of the token.
  const init = { signal: end.signal, headers: { authorization: '' } }
  const answer = await (url ? fetch(url + path, { signal: end.signal }) : who.fetch(path, init))
  if (!answer.ok || !answer.body) throw new Error(String(answer.status))
  const events: ReceivedEvent[] = []
  const state = { beats: 0, isOver: false }
  void read(answer.body, (block) => {
    if (block.startsWith(':')) state.beats += 1
    else {
      const [, kind = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      events.push({ kind, data: JSON.parse(data) as unknown })
    }
  })
    .catch(() => undefined)
    .finally(() => {
      state.isOver = true
    })
  return {
    headers: answer.headers,
    events,
    get beats() {
      return state.beats
    },
    get isOver() {
      return state.isOver
    },
    get kinds() {
      return events.map(({ kind }) => kind)
    },
    close: () => end.abort(),
  }
}

async function read(body: ReadableStream<Uint8Array>, take: (block: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) take(block)
  }
}
