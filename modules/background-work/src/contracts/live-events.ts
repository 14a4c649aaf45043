import { AppService, Dto, instant, op, secret, z } from '@keel/framework/contracts'
import { BackgroundWork } from './background-work.js'

/** Opens one event stream. */
export class LiveTicketDto extends Dto({
  /** The address of the stream with the ticket in it, relative to the address of the host. It works once. */
  path: secret(z.string()),

  /** Until when the stream can be opened. */
  expirationTime: instant(),
}) {}

/** Events for browsers, so that pages need not ask again and again. */
export abstract class LiveEventAppService extends AppService(BackgroundWork, 'LiveEventAppService', {
  /**
   * Issues a ticket for an event stream (`text/event-stream`) of the caller, who is a signed-in user with a bearer token. Its events are `ready`,
   * `permissions`, `settings`, `notification`, `job`, `refresh` (ask for everything anew) and `end`.
   */
  createTicket: op().returns(LiveTicketDto).at('POST', '/api/background-work/live-event/ticket'),
}) {}
