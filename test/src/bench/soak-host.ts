import { ApiHost } from '@keel/api-host'
import { AutoApiController, Injectable, KeelModule, Module, runHost } from '@keel/framework'
import { AppService, Dto, EventDto, op, remoteService, z } from '@keel/framework/contracts'
import { DistributedEventBus, EventHandler } from '@keel/framework/events'
import { BackgroundJobs, JobArgs, JobHandler } from '@keel/framework/jobs'
import { Authenticated } from '@keel/framework/security'

/** What a soaked host is asked over its channel, and answers. */
export interface MemoryReport {
  readonly residentMegabytes: number
  /** After a collection. */
  readonly heapMegabytes: number
  readonly jobs: number
  readonly events: number
}

class WorkInput extends Dto({ text: z.string() }) {}
class SoakArgs extends JobArgs('Soak.Work', { text: z.string() }) {}
class SoakEto extends EventDto('Soak.Worked', { text: z.string() }) {}

/** An operation that adds a job and publishes an event: by itself the product does both too seldom to be soaked. */
abstract class WorkAppService extends AppService(remoteService('Soak', 'soak'), {
  createWork: op(WorkInput),
}) {}

let jobs = 0
let events = 0

@AutoApiController(WorkAppService)
class WorkService implements WorkAppService {
  constructor(
    private readonly queue: BackgroundJobs,
    private readonly bus: DistributedEventBus,
  ) {}

  @Authenticated()
  async createWork({ text }: WorkInput): Promise<void> {
    await this.queue.enqueue(new SoakArgs({ text }))
    await this.bus.publish(new SoakEto({ text }))
  }
}

@Injectable()
class Worker {
  @JobHandler(SoakArgs)
  async work(): Promise<void> {
    jobs += 1
  }

  @EventHandler(SoakEto)
  async hear(): Promise<void> {
    events += 1
  }
}

@Module({ name: 'Soak', dependsOn: [ApiHost], services: [WorkService, Worker], events: [SoakEto] })
class SoakHost extends KeelModule {}

process.on('message', () => {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  const report: MemoryReport = {
    residentMegabytes: rss / 1048576,
    heapMegabytes: heapUsed / 1048576,
    jobs,
    events,
  }
  process.send?.(report)
})

await runHost(SoakHost, import.meta.url)
