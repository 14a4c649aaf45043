import { AutoApiController } from '@keel/framework'
import { LiveTickets, liveStreamPath } from '@keel/framework/http'
import { Authenticated } from '@keel/framework/security'
import { LiveEventAppService, type LiveTicketDto } from '../contracts/index.js'

@AutoApiController(LiveEventAppService)
@Authenticated()
export class LiveEventService implements LiveEventAppService {
  constructor(private readonly tickets: LiveTickets) {}

  async createTicket(): Promise<LiveTicketDto> {
    const { ticket, expirationTime } = await this.tickets.issue()
    return { path: liveStreamPath(ticket), expirationTime }
  }
}
