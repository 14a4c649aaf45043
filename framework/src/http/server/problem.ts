import { STATUS_CODES } from 'node:http'
import type { ErrorEnvelope, Problem } from '../../contracts/index.js'

/** An envelope as a problem. */
export function problemOf(
  { error: { message, ...extensions } }: ErrorEnvelope,
  asked: Pick<Problem, 'status' | 'instance' | 'traceId'>,
): Problem {
  const { status, instance, traceId } = asked
  const title = STATUS_CODES[status] ?? 'Error'
  return { type: 'about:blank', title, status, detail: message, instance, traceId, ...extensions }
}

/**
 * True when a request names `application/problem+json`, before `application/json`: ABP's clients never do.
 */
export function wantsProblem(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes('application/problem+json')) return false
  const [first] = accept
    .slice(0, 1000)
    .toLowerCase()
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { type, quality: quality === undefined ? 1 : Number(quality) || 0 }
    })
    .filter(({ type, quality }) => quality > 0 && /^application\/(problem\+)?json$/.test(type))
    .sort((a, b) => b.quality - a.quality)
  return first?.type === 'application/problem+json'
}
