/** How far the body of a request or an answer got. */
export interface Progress {
  readonly loadedBytes: number
  /** Undefined where the size is not known, as of compressed answers. */
  readonly totalBytes: number | undefined
}

/** The part of a browser's XMLHttpRequest that is used here. */
interface Xhr {
  responseType: string
  readonly response: unknown
  readonly status: number
  readonly statusText: string
  readonly upload: {
    onprogress?: (event: { loaded: number; total: number; lengthComputable: boolean }) => void
  }
  onload?: () => void
  onloadend?: () => void
  onabort?: () => void
  onerror?: () => void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: string | FormData | null): void
  abort(): void
}

const browser = globalThis as { XMLHttpRequest?: new () => Xhr }

type OnProgress = (progress: Progress) => void

/** The same answer, which reports its body as it is read. */
export function withDownloadProgress(response: Response, report: OnProgress | undefined): Response {
  if (!report || !response.body) return response
  // The size of a compressed answer is that on the line, and pieces are counted after they were unpacked.
  const size = response.headers.get('content-encoding') ? null : response.headers.get('content-length')
  const totalBytes = size === null ? undefined : Number(size)
  const body = response.body.pipeThrough(counting(report, totalBytes))
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/**
 * Sends a request whose body is reported as it leaves. Browsers report that by XMLHttpRequest alone; elsewhere
 * the body is a stream that is counted when it is read.
 */
export async function sendWithProgress(
  url: string,
  init: {
    method: string
    headers: Record<string, string>
    body: string | FormData | undefined
    signal: AbortSignal
    redirect: 'error'
  },
  report: OnProgress,
  send: typeof fetch | undefined,
): Promise<Response> {
  if (!send && browser.XMLHttpRequest) return sendByXhr(url, init, report)
  const { body } = init
  const encoded = new Response(body)
  const type = encoded.headers.get('content-type')
  const total = await sizeOf(body)
  const stream = encoded.body?.pipeThrough(counting(report, total))
  const headers = { ...(type && { 'content-type': type }), ...init.headers }
  return (send ?? fetch)(url, { ...init, headers, body: stream, duplex: 'half' } as RequestInit)
}

/** The size of a body in bytes; of a form with its boundaries, whose size does not depend on the files. */
async function sizeOf(body: string | FormData | undefined): Promise<number> {
  if (!(body instanceof FormData)) return new TextEncoder().encode(body ?? '').length
  const hollow = new FormData()
  let fileBytes = 0
  for (const [name, value] of body.entries()) {
    if (typeof value === 'string') hollow.append(name, value)
    else {
      fileBytes += value.size
      hollow.append(name, new File([], value.name, { type: value.type }))
    }
  }
  return fileBytes + (await new Response(hollow).arrayBuffer()).byteLength
}

function counting(
  report: OnProgress,
  totalBytes: number | undefined,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let loadedBytes = 0
  return new TransformStream({
    transform(piece, controller) {
      loadedBytes += piece.byteLength
      controller.enqueue(piece)
      report({ loadedBytes, totalBytes })
    },
  })
}

function sendByXhr(
  url: string,
  { method, headers, body, signal }: Parameters<typeof sendWithProgress>[1],
  report: OnProgress,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new (browser.XMLHttpRequest as new () => Xhr)()
    request.open(method, url)
    request.responseType = 'blob'
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total, lengthComputable }) =>
      report({ loadedBytes: loaded, totalBytes: lengthComputable ? total : undefined })
    const stop = () => request.abort()
    signal.addEventListener('abort', stop, { once: true })
    request.onloadend = () => signal.removeEventListener('abort', stop)
    request.onabort = () => reject(signal.reason)
    request.onerror = () => reject(new TypeError('Failed to fetch'))
    request.onload = () => {
      const hasBody = ![204, 205, 304].includes(request.status)
      resolve(
        new Response(hasBody ? (request.response as Blob) : null, {
          status: request.status,
          statusText: request.statusText,
          headers: headersOf(request.getAllResponseHeaders()),
        }),
      )
    }
    if (signal.aborted) reject(signal.reason)
    else request.send(body ?? null)
  })
}

function headersOf(text: string): Headers {
  const headers = new Headers()
  for (const line of text.trim().split(/[\r\n]+/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return headers
}
