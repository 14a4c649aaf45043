import type { RequestHandler } from 'express'
import type { Constructor } from '../../modularity/class.js'
import { lazily } from '../../modularity/lazily.js'
import { type StepName, stepsAt } from '../../modularity/request-steps.js'
import { admission } from '../../security/authorization.js'
import { guardOf } from '../../security/guards.js'
import { withoutCompression } from '../server/compression.js'
import type { BodyLimits } from './form-body.js'
import { jsonBody } from './json-body.js'

/** A route, as far as the steps on it have to know. */
export interface GuardedRoute {
  /** The service whose guards apply. */
  readonly service: Constructor
  readonly method: string
  /** Limits how often a caller may call. */
  readonly limit?: RequestHandler | undefined
  /** True when the answer holds a secret; asked by the first request. */
  isSecret(): boolean
  readonly readsJson: boolean
}

type Maker = (route: GuardedRoute) => RequestHandler | undefined

/** Makes what runs on a route before what answers it, in the order of the request's steps. */
export function routeSteps(limits: BodyLimits): (route: GuardedRoute) => RequestHandler[] {
  const { maxJsonBodyBytes, maxAnonymousBodyBytes, maxJsonValues: mostValues } = limits
  const readBody = jsonBody({ maxBytes: maxJsonBodyBytes, mostValues })
  const readSmallBody = jsonBody({ maxBytes: Math.min(maxJsonBodyBytes, maxAnonymousBodyBytes), mostValues })
  const makers: Readonly<Record<StepName<'route'>, Maker>> = {
    'rate limit of the operation': ({ limit }) => limit,
    guard,
    'no compression': ({ isSecret }) => uncompressedWhere(lazily(isSecret)),
    body: ({ readsJson, service, method }) => {
      if (!readsJson) return undefined
      return guardOf(service, method)?.kind === 'anonymous' ? readSmallBody : readBody
    },
    // The server adds it: only it knows what a token is bound to.
    middleware: () => undefined,
  }
  const ordered = stepsAt('route').map((name) => makers[name])
  return (route) => ordered.map((make) => make(route)).filter((step) => step !== undefined)
}

function uncompressedWhere(isSecret: () => boolean): RequestHandler {
  return (request, response, next) => (isSecret() ? withoutCompression(request, response, next) : next())
}

/**
 * Refuses callers before their body or query is read: strangers must not make us read it, nor learn what is
 * wrong with it.
 */
function guard({ service, method }: GuardedRoute): RequestHandler | undefined {
  const admit = admission(service, method)
  return (
    admit &&
    ((_request, _response, next) => {
      admit()
      next()
    })
  )
}
