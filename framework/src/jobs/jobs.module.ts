import { DataModule } from '../data/data.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { BackgroundJob } from './background-job.js'
import { BackgroundJobs } from './background-jobs.js'
import { JobKinds } from './job-kinds.js'
import { JobLiveEvents } from './job-live-events.js'
import { JobSettings } from './job-settings.js'
import { JobWorker } from './job-worker.js'
import { RecurringJobs } from './recurring-jobs.js'

/** A queue of jobs in the Default database; hosts that have the `JobWorkerModule` work on it. */
@Module({
  name: 'Jobs',
  dependsOn: [DataModule],
  entities: [BackgroundJob],
  services: [BackgroundJobs, JobLiveEvents],
})
export class JobsModule extends KeelModule {}

/** A job that is due and nobody works on for this long says that there are no workers, or too few. */
const overdueSeconds = 300

/** Works on the jobs whose handlers this host has. */
@Module({
  name: 'JobWorkers',
  dependsOn: [JobsModule],
  services: [JobKinds, RecurringJobs, JobWorker],
  configuration: [JobSettings],
})
export class JobWorkerModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    application.healthChecks.push({
      name: 'Jobs',
      check: async () => {
        const {
          waiting,
          running,
          abandoned,
          overdueSeconds: overdue,
        } = await application.get(BackgroundJobs).counts()
        const description = `${waiting} waiting, ${running} running, ${abandoned} given up.`
        return overdue !== null && overdue > overdueSeconds
          ? { status: 'Degraded', description: `${description} Jobs are due and nobody works on them.` }
          : { status: 'Healthy', description }
      },
    })
    application.onReady(async () => application.get(JobWorker).start())
    application.onStopping(() => application.get(JobWorker).stop())
  }
}
