import {
  AppService,
  Dto,
  EntityDto,
  enumeration,
  guid,
  id,
  instant,
  listResultOf,
  op,
  PagedInput,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { BackgroundWork } from './background-work.js'

/** The state of an event at a consumer. */
export enum InboxEventStatus {
  /** Also one whose handler failed and is tried again at `nextRetryTime`. */
  Pending = 0,
  /** Given up after the last attempt: a dead letter. */
  Discarded = 1,
  Processed = 2,
}

/** An event on its way to one consumer, without what it says. */
export class InboxEventDto extends EntityDto({
  /** The id that the publisher gave to the event. */
  messageId: z.string(),

  /** The name that the event is published under. */
  eventName: z.string(),
  /** `<module>.<class>.<method>`. */
  consumer: z.string(),
  /** Events of one key reach a consumer one after the other. */
  orderKey: z.string().nullable(),
  creationTime: instant(),
  status: enumeration('InboxEventStatus', InboxEventStatus),

  /** When its consumer had handled it; null before. */
  handledTime: instant().nullable(),

  /** How often it was tried again. */
  retryCount: z.int(),

  /** When it is tried again, at the earliest; null when it is not. */
  nextRetryTime: instant().nullable(),
  /** Why the last attempt failed. */
  lastError: z.string().nullable(),
  correlationId: z.string().nullable(),
}) {}

/** Connection name of the database whose inbox is meant. */
const database = z.string().max(64).default('Default')
const filters = { eventName: z.string().max(256).nullish(), consumer: z.string().max(256).nullish() }

/** Which events of a database's inbox; newest first when not sorted. */
export class InboxEventListInput extends Dto({
  ...PagedInput.shape,
  database,
  ...filters,
  status: enumeration('InboxEventStatus', InboxEventStatus).nullish(),
}) {}

/** Which discarded events of a database's inbox; all of them when nothing is said. */
export class ReplayEventsInput extends Dto({
  database,
  ...filters,
  ids: z.array(guid()).max(1000).nullish(),
}) {}

/** How many events were replayed. */
export class ReplayedEventsDto extends Dto({ count: z.int() }) {}

/** The waiting events in outbox and inbox of a database. */
export class EventBoxDto extends Dto({
  /** Connection name. */
  database: z.string(),
  /** Published and not sent yet. */
  outgoing: z.int(),

  /** Received and not handled yet. */
  pending: z.int(),

  /** Given up after the last attempt. */
  discarded: z.int(),
}) {}

/** Distributed events and what became of them at their consumers. */
export abstract class InboxEventAppService extends AppService(BackgroundWork, 'InboxEventAppService', {
  /** Lists events on their way to consumers, in pages. */
  getList: op(InboxEventListInput).returns(pageOf(InboxEventDto)),
  /** Counts what waits in the outbox and inbox of each database. */
  getBoxes: op().returns(listResultOf(EventBoxDto)),
  /** Handles a discarded event again, from its first attempt. */
  replay: op(id),
  /** Handles several discarded events again, from their first attempts. */
  replayMany: op(ReplayEventsInput).returns(ReplayedEventsDto),
  /** Deletes a discarded event. */
  delete: op(id),
}) {}
