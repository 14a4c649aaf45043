import type { Socket } from 'node:net'
import type { Request, Response } from 'express'
import { AuditStore } from '../auditing/audit-log.js'
import { AuditScope } from '../auditing/audit-scope.js'
import { Auditing } from '../auditing/auditing.module.js'
import { shortened } from '../auditing/masked-json.js'
import type { Ambient } from '../modularity/ambient.js'
import type { Application } from '../modularity/application.js'
import { maskSecrets } from '../modularity/logging.js'

const reads = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Of the errors of a request; stacks are long. */
const longestExceptions = 16_000

interface Audited {
  readonly request: Request
  readonly response: Response
  readonly ambient: Ambient
}

/**
 * Opens the audit scope of a request; undefined for a host that keeps no audit log. Not kept are requests of strangers that reached no
 * operation and requests that came too often: anybody could fill the log with them.
 */
export function requestAuditing(application: Application): ((audited: Audited) => undefined) | undefined {
  const { clock, configuration, container } = application
  const options = configuration.read(Auditing)
  if (!options.isEnabled || !container.isBound(AuditStore)) return undefined
  const store = application.get(AuditStore)
  const applicationName = options.applicationName ?? application.name

  return (audited) => {
    const { originalUrl } = audited.request
    if (options.ignoredUrls.some((beginning) => originalUrl.startsWith(beginning))) return undefined
    const isKept = options.isEnabledForGetRequests || !reads.has(audited.request.method)
    if (!isKept && !options.alwaysLogOnException) return undefined
    const onOver = (scope: AuditScope): void => keep(scope, audited, clientIpAddress)
    // The address is gone with the connection.
    let clientIpAddress = isKept ? addressOf(audited.request) : undefined
    let isFollowed = isKept
    const scope = new AuditScope(clock, onOver, () => {
      if (isFollowed) return
      isFollowed = true
      clientIpAddress = addressOf(audited.request)
      follow()
    })
    audited.ambient.audit = scope
    if (isKept) follow()
    return undefined

    function follow(): void {
      audited.response.on('close', () => scope.answered())
    }
  }

  function keep(
    scope: AuditScope,
    { request, response, ambient }: Audited,
    clientIpAddress: string | undefined,
  ): void {
    const { statusCode } = response
    const { principal, correlationId } = ambient
    const isStranger = principal.kind === 'anonymous'
    if (statusCode === 429 || (isStranger && scope.actions.length === 0)) return
    const isForced = options.alwaysLogOnException && scope.errors.length > 0
    if (isStranger && !options.isEnabledForAnonymousUsers && !isForced) return
    const query = request.originalUrl.indexOf('?')
    store.add({
      applicationName,
      principal,
      correlationId,
      executionTime: scope.executionTime,
      executionDuration: scope.elapsedMs,
      httpMethod: request.method,
      url: query < 0 ? request.originalUrl : request.originalUrl.slice(0, query),
      httpStatusCode: statusCode,
      clientIpAddress,
      browserInfo: request.headers['user-agent'],
      exceptions: exceptionsOf(scope.errors),
      comments: scope.furtherChanges ? `${scope.furtherChanges} more entity changes are not told` : undefined,
      actions: scope.actions,
      entityChanges: scope.entityChanges,
    })
  }
}

/** The caller's address. Where no proxy tells of another one it is the connection's, and nobody need look through the headers. */
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

/** Errors as ABP keeps them. Their details, stacks above all, had their secrets masked when they were told. */
function exceptionsOf(errors: AuditScope['errors']): string | undefined {
  if (errors.length === 0) return undefined
  const told = errors.map(({ details, ...error }) => ({
    ...(JSON.parse(maskSecrets(JSON.stringify(error))) as object),
    details,
  }))
  return shortened(JSON.stringify(told), longestExceptions)
}
