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

/** What became of an event at a consumer. */
export enum InboxEventStatus {
  /** Also one whose handler failed and is tried again at `nextRetryTime`. */
  Pending = 0,
  /** Given up after the last attempt: a dead letter. */
  Discarded = 1,
  Processed = 2,
}

/** An event on its way to one consumer, without what it says. */
export class InboxEventDto extends EntityDto({
  messageId: z.string(),
  eventName: z.string(),
  /** `<module>.<class>.<method>`. */
  consumer: z.string(),
  /** Events of one key reach a consumer one after the other. */
  orderKey: z.string().nullable(),
  creationTime: instant(),
  status: enumeration('InboxEventStatus', InboxEventStatus),
  handledTime: instant().nullable(),
  retryCount: z.int(),
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

/** What waits in the boxes of a database. */
export class EventBoxDto extends Dto({
  /** Connection name. */
  database: z.string(),
  /** Published and not sent yet. */
  outgoing: z.int(),
  pending: z.int(),
  discarded: z.int(),
}) {}

/** Distributed events and what became of them at their consumers. */
export abstract class InboxEventAppService extends AppService(BackgroundWork, 'InboxEventAppService', {
  getList: op(InboxEventListInput).returns(pageOf(InboxEventDto)),
  getBoxes: op().returns(listResultOf(EventBoxDto)),
  /** Handles a discarded event again, from its first attempt. */
  replay: op(id),
  /** Handles discarded events again. */
  replayMany: op(ReplayEventsInput).returns(ReplayedEventsDto),
  /** Forgets a discarded event. */
  delete: op(id),
}) {}
