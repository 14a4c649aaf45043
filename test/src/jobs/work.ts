import { setTimeout as sleep } from 'node:timers/promises'
import { Injectable, KeelModule, Module } from '@keel/framework'
import { instant, z } from '@keel/framework/contracts'
import { Databases, DataModule, sequentialGuid, sql } from '@keel/framework/data'
import {
  JobAbandoned,
  JobArgs,
  type JobContext,
  JobHandler,
  JobWorkerModule,
  RecurringJob,
} from '@keel/framework/jobs'

export class GreetArgs extends JobArgs('Test.Greet', { name: z.string(), at: instant() }, { maxTries: 3 }) {}

/** Works until it is told to end, or for some time. */
export class ToilArgs extends JobArgs('Test.Toil', { forMs: z.int(), label: z.string() }, { isLong: true }) {}

/** The same in the name of a person. */
export class ToilForArgs extends JobArgs('Test.ToilFor', ToilArgs.shape, { isLong: true, runsAs: 'user' }) {}

/** Where the work of all processes is written down. */
export const runsTable =
  'create table if not exists "TestRuns" ("Id" uuid primary key, "Label" text not null, "Process" int not null, "Begin" timestamptz not null, "End" timestamptz)'

@Injectable()
export class Workshop {
  readonly greeted: { readonly name: string; readonly attempt: number }[] = []
  refuses: (name: string) => Error | undefined = () => undefined
  /** For how long a greeting is put off, in milliseconds; undefined when it is not. */
  putsOff: (name: string) => number | undefined = () => undefined

  constructor(private readonly databases: Databases) {}

  @JobHandler(GreetArgs)
  async greet({ name, at }: GreetArgs, { attempt, postpone }: JobContext): Promise<void> {
    if (!(at instanceof Date)) throw new JobAbandoned('at is no date')
    this.greeted.push({ name, attempt })
    const refusal = this.refuses(name)
    if (refusal) throw refusal
    const delayMs = this.putsOff(name)
    if (delayMs !== undefined) postpone(delayMs)
  }

  @JobHandler(ToilForArgs)
  toilFor(args: ToilForArgs, job: JobContext): Promise<void> {
    return this.toil(args, job)
  }

  @JobHandler(ToilArgs)
  async toil({ forMs, label }: ToilArgs, { signal, progress }: JobContext): Promise<void> {
    await this.writeDown(label, async () => {
      const steps = Math.max(Math.ceil(forMs / 50), 1)
      for (let step = 1; step <= steps; step += 1) {
        await sleep(50, undefined, { signal })
        progress((100 * step) / steps, `step ${step}`)
      }
    })
  }

  /** Takes longer than the time between two of its times. */
  @RecurringJob('* * * * * *')
  async tick(): Promise<void> {
    await this.writeDown('tick', () => sleep(1300))
  }

  private async writeDown(label: string, work: () => Promise<unknown>): Promise<void> {
    const database = this.databases.named('Default')
    const id = sequentialGuid()
    await database.execute(sql`
      insert into "TestRuns" ("Id", "Label", "Process", "Begin") values (${id}, ${label}, ${process.pid}, clock_timestamp())`)
    try {
      await work()
    } finally {
      await database.execute(sql`update "TestRuns" set "End" = clock_timestamp() where "Id" = ${id}`)
    }
  }
}

@Module({ name: 'Work', dependsOn: [DataModule, JobWorkerModule], services: [Workshop] })
export class WorkModule extends KeelModule {}
