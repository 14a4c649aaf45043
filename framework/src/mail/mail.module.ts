import { KeelModule, Module, type ModuleContext } from '../modularity/module.js'
import { DeliveringMailer } from './delivering-mailer.js'
import { Mail, MailSettings } from './mail-settings.js'

/** How long a host that stops waits for mail on its way. */
const drainMs = 10_000

/** Gives a host its {@link Mailer} and ABP's mail settings. */
@Module({
  name: 'Mail',
  services: [DeliveringMailer],
  settings: Object.values(MailSettings),
  configuration: [Mail],
})
export class MailModule extends KeelModule {
  override async onApplicationShutdown({ application }: ModuleContext): Promise<void> {
    await application.get(DeliveringMailer).drain(drainMs)
  }
}
