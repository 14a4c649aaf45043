import { JobsModule } from '../jobs/jobs.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { OutwardSettings } from '../security/outward-addresses.js'
import { DeliveringSmsSender } from './delivering-sms-sender.js'
import { refuseUnusableWebhook, Sms } from './sms-settings.js'

/** Gives a host its {@link SmsSender}. */
@Module({
  name: 'Sms',
  dependsOn: [JobsModule],
  services: [DeliveringSmsSender],
  configuration: [Sms, OutwardSettings],
})
export class SmsModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    refuseUnusableWebhook(application.configuration)
  }
}
