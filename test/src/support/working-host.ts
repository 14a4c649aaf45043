import { ApiHost } from '@keel/api-host'
import { AutoApiController, Injectable, KeelModule, Logger, Module, runHost } from '@keel/framework'
import { AppService, Dto, EventDto, op, remoteService, z } from '@keel/framework/contracts'
import { DistributedEventBus, EventHandler } from '@keel/framework/events'
import { BackgroundJobs, JobArgs, JobHandler } from '@keel/framework/jobs'
import { Authenticated } from '@keel/framework/security'

/** What the host answers over its channel to whoever started it. */
export interface MemoryReport {
  readonly residentMegabytes: number
  /** Objects and strings, after a collection. */
  readonly heapMegabytes: number
  /** What they hold outside the heap, buffers above all, after a collection. */
  readonly externalMegabytes: number
  readonly jobs: number
  readonly events: number
}

class WorkInput extends Dto({ text: z.string() }) {}
class WorkArgs extends JobArgs('Work.Job', { text: z.string() }) {}
class WorkedEto extends EventDto('Work.Event', { text: z.string() }) {}

/** An operation that adds a job and publishes an event: by itself the product does both too seldom to be watched. */
abstract class TaskAppService extends AppService(remoteService('Work', 'work'), 'TaskAppService', {
  create: op(WorkInput),
}) {}

let jobs = 0
let events = 0

@AutoApiController(TaskAppService)
class TaskService implements TaskAppService {
  constructor(
    private readonly queue: BackgroundJobs,
    private readonly bus: DistributedEventBus,
  ) {}

  @Authenticated()
  async create({ text }: WorkInput): Promise<void> {
    await this.queue.enqueue(new WorkArgs({ text }))
    await this.bus.publish(new WorkedEto({ text }))
  }
}

@Injectable()
class Worker {
  constructor(private readonly logger: Logger) {}

  @JobHandler(WorkArgs)
  async work(): Promise<void> {
    jobs += 1
    this.logger.debug({}, 'worked')
  }

  @EventHandler(WorkedEto)
  async hear(): Promise<void> {
    events += 1
    this.logger.debug({}, 'heard')
  }
}

@Module({ name: 'Work', dependsOn: [ApiHost], services: [TaskService, Worker], events: [WorkedEto] })
class WorkingHost extends KeelModule {}

process.on('message', () => {
  // What buffers had is given back by the collection after the one that finds them unused.
  globalThis.gc?.()
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  const report: MemoryReport = {
    residentMegabytes: rss / 1048576,
    heapMegabytes: heapUsed / 1048576,
    externalMegabytes: external / 1048576,
    jobs,
    events,
  }
  process.send?.(report)
})

await runHost(WorkingHost, import.meta.url)
