import {
  type Application,
  ambient,
  Injectable,
  KeelModule,
  Module,
  type ModuleContext,
} from '@keel/framework'
import { EventDto, z } from '@keel/framework/contracts'
import { Databases, sql, UnitOfWork } from '@keel/framework/data'
import {
  DistributedEventBus,
  type EventContext,
  EventDeliveryModule,
  EventHandler,
} from '@keel/framework/events'

/** A number was counted: what the processes of these tests tell each other. */
export class NumberCounted extends EventDto('Test.Number.Counted', { number: z.int(), series: z.string() }) {}

/** How many series there are; each keeps its order. */
export const seriesCount = 5

/** The tables that the processes write to, in the databases of their modules. */
export const tables = {
  Hub: 'create table "TestSent" ("Number" int primary key)',
  Pricing: `create table "TestReceived" ("Id" bigint generated always as identity, "Number" int not null, "Series" text not null,
    "Process" int not null, "CorrelationId" text not null)`,
} as const

/** Counts up to a number, each one in a transaction with its event; goes on where the one before it was killed. */
@Injectable()
export class Counter {
  constructor(
    private readonly databases: Databases,
    private readonly events: DistributedEventBus,
  ) {}

  async countTo(last: number): Promise<void> {
    for (let number = (await this.counted()) + 1; number <= last; number += 1) {
      await UnitOfWork.run(async () => {
        await this.databases.named('Hub').execute(sql`insert into "TestSent" values (${number})`)
        const series = `series ${number % seriesCount}`
        await this.events.publish(new NumberCounted({ number, series }), { key: series })
      })
    }
  }

  private async counted(): Promise<number> {
    const [found] = await this.databases
      .named('Hub')
      .query<{ last: number }>(sql`select coalesce(max("Number"), 0) as last from "TestSent"`)
    return found?.last ?? 0
  }
}

@Module({ name: 'Counting', database: 'Hub', events: [NumberCounted], services: [Counter] })
export class CountingModule extends KeelModule {}

/** Writes down every number that it hears of. */
@Injectable()
export class Listener {
  constructor(private readonly databases: Databases) {}

  @EventHandler(NumberCounted)
  async hear({ number, series }: NumberCounted, _context: EventContext): Promise<void> {
    await this.databases.named('Pricing').execute(sql`
      insert into "TestReceived" ("Number", "Series", "Process", "CorrelationId")
      values (${number}, ${series}, ${process.pid}, ${ambient().correlationId})`)
  }
}

@Module({ name: 'Listening', database: 'Pricing', services: [Listener] })
export class ListeningModule extends KeelModule {}

/** Publishes from the Hub database; sends what it published when it gets to it. */
@Module({ dependsOn: [EventDeliveryModule, CountingModule] })
export class ProducerHost extends KeelModule {
  override onApplicationInitialization({ application }: ModuleContext): void {
    application.onReady(async () => void countInBackground(application))
  }
}

/** Listens with the Pricing database, and knows the Hub database, whose outbox it helps to empty. */
@Module({ name: 'HubAddress', database: 'Hub' })
class HubAddressModule extends KeelModule {}

@Module({ dependsOn: [EventDeliveryModule, HubAddressModule, ListeningModule] })
export class ConsumerHost extends KeelModule {}

async function countInBackground(application: Application): Promise<void> {
  try {
    await application.get(Counter).countTo(Number(process.env.COUNT_TO ?? 0))
  } catch (error) {
    application.logger.fatal({ err: error }, 'counting failed')
    process.exit(1)
  }
}
