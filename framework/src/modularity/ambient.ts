import { AsyncLocalStorage } from 'node:async_hooks'
import { anonymous, type Principal } from './principal.js'

/** Where a request comes from. */
export interface AmbientRequest {
  /** The caller's address, behind proxies that are trusted. */
  readonly ip?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * The context of the current work: of a request, or of a seeder or job. Auditing adds a member of its own.
 */
export interface Ambient {
  /** Joins everything one request causes, in every process; 32 hexadecimal digits when we made it. */
  readonly correlationId: string
  /** The request as it came over HTTP; undefined outside of one. */
  readonly request?: AmbientRequest
  principal: Principal
  /** Language of texts, e.g. `en`. */
  culture: string
  /** IANA name of the zone of the person in whose name the program works; undefined elsewhere. */
  readonly timeZone?: string
  /** The `Authorization` header as it came, so that a call to another of our services can carry it on. */
  authorization?: string
  /** The API key that the caller sent instead, for the same purpose. */
  apiKey?: string
  /** The trace that the work belongs to; undefined where none is kept. The context is OpenTelemetry's. */
  trace?: { readonly traceId: string; readonly context: unknown }
  /** Tells the caller of something that the operation met and did not refuse, by a code that has a text. */
  warn?: (code: string, data: Readonly<Record<string, unknown>>) => void
  /** Hears which databases the request wrote, as soon as that is committed. */
  written?: (database: string) => void
}

const storage = new AsyncLocalStorage<Ambient>()
const outside: Ambient = { correlationId: '', principal: anonymous, culture: 'en' }

/** The ambient request. Outside of any it is anonymous and in English. */
export function ambient(): Ambient {
  return storage.getStore() ?? outside
}

/**
 * Tells the caller of something that the operation at hand does not refuse, in the header `X-Keel-Warning` of the answer: the code, and its text in
 * the caller's language. Nothing happens for reads, and outside of a request.
 * @example warnCaller(HubErrors.DocumentDuplicateContent, { fileName })
 */
export function warnCaller(code: string, data: Readonly<Record<string, unknown>> = {}): void {
  ambient().warn?.(code, data)
}

/**
 * Whom what the caller at hand takes of something scarce is counted for: the person who acts, with all their
 * keys, sessions and applications together, else the client; empty for strangers and the program itself.
 */
export function callerKey(): string {
  const { impersonator, userId, clientId } = ambient().principal
  return impersonator?.userId ?? userId ?? clientId ?? ''
}

/** Of ambient requests that were made out of another one, for a part of the same work: the first one. */
const origins = new WeakMap<Ambient, Ambient>()

/**
 * Runs `work` with another ambient request. A copy of the one at hand, with the same correlation id, belongs
 * to the same work.
 */
export function withAmbient<T>(values: Ambient, work: () => T): T {
  const around = storage.getStore()
  if (around && around.correlationId === values.correlationId)
    origins.set(values, origins.get(around) ?? around)
  return storage.run(values, work)
}

/**
 * Runs `work` with an ambient request of its own, whatever the correlation id: nothing that is made once for
 * a request is shared with the work at hand.
 */
export function withSeparateAmbient<T>(values: Ambient, work: () => T): T {
  return storage.run(values, work)
}

/**
 * Stands for the work at hand as long as it lasts: the same object in all its parts. Undefined outside of
 * any.
 */
export function ambientOwner(): object | undefined {
  const values = storage.getStore()
  return values && (origins.get(values) ?? values)
}
