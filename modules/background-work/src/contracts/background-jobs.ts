import {
  AppService,
  Dto,
  EntityDto,
  enumeration,
  id,
  instant,
  op,
  PagedInput,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { BackgroundWork } from './background-work.js'

/** What became of a job. */
export enum BackgroundJobState {
  /** Also one that failed and is tried again at `nextTryTime`. */
  Waiting = 0,
  Running = 1,
  Completed = 2,
  /** Given up after its last attempt. */
  Abandoned = 3,
  Cancelled = 4,
}

/** A job, without its arguments: they may hold what nobody else should read. */
export class BackgroundJobDto extends EntityDto({
  jobName: z.string(),
  state: enumeration('BackgroundJobState', BackgroundJobState),
  isRecurring: z.boolean(),
  /** 5 low, 15 normal, 25 high. */
  priority: z.int(),
  tryCount: z.int(),
  creationTime: instant(),
  nextTryTime: instant(),
  lastTryTime: instant().nullable(),
  completionTime: instant().nullable(),
  /** Percent; null when it tells nothing. */
  progress: z.int().nullable(),
  progressText: z.string().nullable(),
  /** Why the last attempt failed. */
  lastError: z.string().nullable(),
  /** Of the request that caused it. */
  correlationId: z.string().nullable(),
}) {}

/** Which jobs; newest first when not sorted. */
export class BackgroundJobListInput extends Dto({
  ...PagedInput.shape,
  jobName: z.string().max(128).nullish(),
  state: enumeration('BackgroundJobState', BackgroundJobState).nullish(),
}) {}

/** How many jobs there are. */
export class BackgroundJobCountsDto extends Dto({ waiting: z.int(), running: z.int(), abandoned: z.int() }) {}

/** Jobs of all hosts. */
export abstract class BackgroundJobAppService extends AppService(BackgroundWork, 'BackgroundJobAppService', {
  get: op(id).returns(BackgroundJobDto),
  getList: op(BackgroundJobListInput).returns(pageOf(BackgroundJobDto)),
  getCounts: op().returns(BackgroundJobCountsDto),
  /** Takes back a job that waits, and tells one that runs to end. */
  cancel: op(id),
  /** Runs a job at once that waits, was given up or was cancelled; of a recurring job the occurrence that waits. */
  retry: op(id),
}) {}
