import type { Database } from '../data/connections/database.js'
import { Databases } from '../data/connections/databases.js'
import { WorkLoop } from '../data/connections/work-loop.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { Telemetry } from '../telemetry/telemetry.js'
import { inboxTable, outboxTable } from './event-boxes.js'
import { EventConsumers } from './event-consumers.js'
import { EventMetrics } from './event-metrics.js'
import { EventSettings } from './event-settings.js'
import { EventTransport } from './event-transport.js'
import { InboxProcessor } from './inbox-processor.js'
import { relayOutbox } from './outbox-relay.js'

/** Events that are published within this time of one another are sent together. Adds as much to their delivery at most. */
const gatherMs = 25

/** Sends and handles events in this process, until it stops. */
@Injectable()
export class EventDelivery {
  private readonly loops: WorkLoop[] = []
  private readonly settings

  constructor(
    private readonly application: Application,
    private readonly databases: Databases,
    private readonly consumers: EventConsumers,
    private readonly transport: EventTransport,
  ) {
    this.settings = application.configuration.read(EventSettings)
  }

  /** Why events do not travel as they should; undefined when they do. */
  get problem(): string | undefined {
    return this.settings.isDeliveryEnabled ? this.transport.problem : undefined
  }

  async start(): Promise<void> {
    if (!this.settings.isDeliveryEnabled) return
    await this.transport.start()
    const { transport, application } = this
    const telemetry = application.find(Telemetry)
    const metrics = telemetry && new EventMetrics(telemetry, this.databases.all, this.consumers.databases)
    for (const database of this.databases.all)
      this.loop(
        database,
        outboxTable,
        `sending events of ${database.name}`,
        () => relayOutbox(database, transport, metrics),
        gatherMs,
      )
    for (const database of this.consumers.databases) {
      const processor = new InboxProcessor(
        database,
        this.consumers,
        this.settings,
        this.application.logger,
        telemetry,
        metrics,
      )
      for (let place = 0; place < this.settings.concurrency; place += 1)
        this.loop(database, inboxTable, `handling events in ${database.name}`, () => processor.handleNext())
    }
  }

  /** Waits for what is at hand: it is finished, or left as it was. */
  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()))
    await this.transport.stop()
  }

  private loop(
    database: Database,
    table: string,
    name: string,
    work: () => Promise<boolean>,
    restMs = 0,
  ): void {
    const { pollMs } = this.settings
    const loop = new WorkLoop({ name, work, pollMs, restMs, logger: this.application.logger })
    database.feed.onChanged(table, () => loop.wake())
    this.loops.push(loop)
    loop.start()
  }
}
