import type { Socket } from 'node:net'
import type { Request, Response } from 'express'
import { AuditStore } from '../../auditing/audit-log.js'
import { AuditScope } from '../../auditing/audit-scope.js'
import { Auditing } from '../../auditing/auditing.module.js'
import type { Ambient } from '../../modularity/ambient.js'
import type { Application } from '../../modularity/application.js'
import type { Clock } from '../../modularity/clock.js'

const reads = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Audited {
  readonly request: Request
  readonly response: Response
  readonly ambient: Ambient
}

/** The parts that record requests: clock, options and the writer of logs. */
interface Keeping {
  readonly clock: Clock
  readonly store: AuditStore
  readonly applicationName: string
  readonly alwaysLogOnException: boolean
  readonly isEnabledForAnonymousUsers: boolean
}

/**
 * Opens the audit scope of a request; undefined for a host that keeps no audit log. Not kept are requests of
 * strangers that reached no operation and requests that came too often: anybody could fill the log with them.
 */
export function requestAuditing(application: Application): ((audited: Audited) => undefined) | undefined {
  const { clock, configuration } = application
  const options = configuration.read(Auditing)
  const store = options.isEnabled ? application.find(AuditStore) : undefined
  if (!store) return undefined
  const keeping: Keeping = {
    ...options,
    clock,
    store,
    applicationName: options.applicationName ?? application.name,
  }
  return (audited) => {
    const { originalUrl, method } = audited.request
    if (options.ignoredUrls.some((beginning) => originalUrl.startsWith(beginning))) return undefined
    const isKept = options.isEnabledForGetRequests || !reads.has(method)
    if (!isKept && !options.alwaysLogOnException) return undefined
    const scope = new RequestAudit(keeping, audited)
    audited.ambient.audit = scope
    if (isKept) scope.follow()
    return undefined
  }
}

class RequestAudit extends AuditScope {
  private isFollowed = false
  private clientIpAddress: string | undefined

  constructor(
    private readonly keeping: Keeping,
    private readonly audited: Audited,
  ) {
    super(keeping.clock)
  }

  /** Waits for the end of a request that is kept. */
  follow(): void {
    if (this.isFollowed) return
    this.isFollowed = true
    // The address is gone with the connection.
    this.clientIpAddress = addressOf(this.audited.request)
    this.audited.response.on('close', () => this.answered())
  }

  override failed(error: AuditScope['errors'][number]): void {
    super.failed(error)
    this.follow()
  }

  protected override end(): void {
    const { request, response, ambient } = this.audited
    const { alwaysLogOnException, applicationName, isEnabledForAnonymousUsers, store } = this.keeping
    const { statusCode } = response
    const { principal, correlationId } = ambient
    ambient.audit = undefined
    const isStranger = principal.kind === 'anonymous'
    if (statusCode === 429 || (isStranger && this.actions.length === 0)) return
    const isForced = alwaysLogOnException && this.errors.length > 0
    if (isStranger && !isEnabledForAnonymousUsers && !isForced) return
    const query = request.originalUrl.indexOf('?')
    store.add({
      ...this.noted(),
      applicationName,
      principal,
      correlationId,
      httpMethod: request.method,
      url: query < 0 ? request.originalUrl : request.originalUrl.slice(0, query),
      httpStatusCode: statusCode,
      clientIpAddress: this.clientIpAddress,
      browserInfo: request.headers['user-agent'],
    })
  }
}

/**
 * The caller's address. Where no proxy tells of another one it is the connection's, and nobody need look
 * through the headers.
 */
function addressOf(request: Request): string | undefined {
  if (request.headers['x-forwarded-for'] !== undefined) return request.ip
  const { socket } = request
  let address = addresses.get(socket)
  if (address === undefined) {
    address = socket.remoteAddress
    if (address !== undefined) addresses.set(socket, address)
  }
  return address
}

/** Asking a connection again and again costs more. */
const addresses = new WeakMap<Socket, string>()
