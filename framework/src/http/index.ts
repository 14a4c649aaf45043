// Controllers that are written by hand: the library's own, so that a module has the same copy of it as the
// framework.
export {
  all,
  BaseHttpController,
  BaseMiddleware,
  controller,
  type HttpContext,
  HttpResponseMessage,
  httpDelete,
  httpGet,
  httpHead,
  httpMethod,
  httpOptions,
  httpPatch,
  httpPost,
  httpPut,
  injectHttpContext,
  type interfaces,
  next,
  principal,
  queryParam,
  request,
  requestBody,
  requestHeaders,
  requestParam,
  response,
  results,
  withMiddleware,
} from 'inversify-express-utils'
export { networkOf } from '../modularity/network.js'
export { PlatformFeatures, PlatformSettings } from '../modularity/platform-settings.js'
export { type TimeZone, timeZones } from '../modularity/time-zone.js'
export { RateLimits } from '../security/rate-limits.js'
export * from './abp/abp.module.js'
export { type ApiDefinition, apiDefinition } from './abp/api-definition.js'
export * from './abp/api-definition.module.js'
export * from './host/http.module.js'
export * from './host/http-host.js'
export * from './idempotency/idempotency.module.js'
export { type Begun, IdempotencyKeys } from './idempotency/idempotency-keys.js'
export { IdempotencySettings } from './idempotency/idempotency-settings.js'
export * from './idempotency/idempotency-table.module.js'
export * from './live/live-events.module.js'
export { LiveEventSettings } from './live/live-settings.js'
export * from './live/live-ticket-table.module.js'
export { LiveTickets } from './live/live-tickets.js'
export * from './openapi/docs-ui.module.js'
export * from './openapi/openapi.js'
export * from './operations/query-string.js'
export * from './server/cors.js'
export * from './server/health.js'
export * from './server/http-errors.js'
export { loggedUrl } from './server/logged-url.js'
export { demandSignedIn } from './server/public-address.js'
export { ServerDrain } from './server/server-drain.js'
