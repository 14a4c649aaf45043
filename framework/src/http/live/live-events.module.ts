import type { RequestHandler } from 'express'
import type { ModuleContext } from '../../modularity/application.js'
import { KeelModule, Module } from '../../modularity/module.js'
import { SecurityModule } from '../../security/security.module.js'
import { HttpModule } from '../host/http.module.js'
import { HttpHost } from '../host/http-host.js'
import { queryOf } from '../operations/controllers.js'
import { MethodNotAllowedError } from '../server/http-errors.js'
import { LiveEventSettings } from './live-settings.js'
import { LiveStreams } from './live-streams.js'
import { LiveTicketTableModule } from './live-ticket-table.module.js'
import { LiveTickets } from './live-tickets.js'

/** The path of event streams. */
const livePath = '/api/background-work/live-event/stream'

/** The address of the stream that a ticket opens, relative to that of the host. */
export function liveStreamPath(ticket: string): string {
  return `${livePath}?ticket=${ticket}`
}

/** Lets browsers hear of changes by server-sent events. Tickets are issued by {@link LiveTickets}. */
@Module({
  name: 'LiveEvents',
  dependsOn: [HttpModule, SecurityModule, LiveTicketTableModule],
  services: [LiveTickets, LiveStreams],
  configuration: [LiveEventSettings],
})
export class LiveEventsModule extends KeelModule {
  override onApplicationInitialization({ application }: ModuleContext): void {
    const streams = application.get(LiveStreams)
    application.get(HttpHost).mount(livePath, streamHandler(streams))
    application.onReady(async () => streams.start())
    application.onStopping(() => streams.stop())
  }
}

function streamHandler(streams: LiveStreams): RequestHandler {
  return (request, response, next) => {
    if (request.path !== '/') return next()
    if (request.method !== 'GET') throw new MethodNotAllowedError(request.method, ['GET'])
    const { ticket } = queryOf(request.originalUrl)
    streams.open(typeof ticket === 'string' ? ticket : '', request, response).catch(next)
  }
}
