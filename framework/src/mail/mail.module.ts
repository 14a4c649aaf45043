import { BlobsModule } from '../blobs/blobs.module.js'
import { JobsModule } from '../jobs/jobs.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { OutwardSettings } from '../security/outward-addresses.js'
import { DeliveringMailer } from './delivering-mailer.js'
import { MailFiles } from './mail-files.js'
import { MailQueue } from './mail-queue.js'
import { Mail, MailSettings } from './mail-settings.js'

/** How long a host that stops waits for mail on its way. */
const drainMs = 10_000

/** Gives a host its {@link Mailer} and ABP's mail settings. */
@Module({
  name: 'Mail',
  services: [DeliveringMailer],
  settings: Object.values(MailSettings),
  configuration: [Mail, OutwardSettings],
})
export class MailModule extends KeelModule {
  override async onApplicationShutdown({ application }: ModuleContext): Promise<void> {
    await application.get(DeliveringMailer).drain(drainMs)
  }
}

/** Keeps mail that is sent later in the queue of jobs, where it survives the process. Hosts with the `JobWorkerModule` send it. */
@Module({
  name: 'MailQueue',
  dependsOn: [MailModule, JobsModule, BlobsModule],
  services: [MailQueue, MailFiles],
})
export class MailQueueModule extends KeelModule {}
