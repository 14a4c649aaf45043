import { MailModule } from '../mail/mail.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { AppUrls } from './app-urls.js'
import { TextTemplates } from './text-templates.js'
import { WhiteLabel } from './white-label.js'

/** Gives a host {@link TextTemplates}, and stops its start in Development when a template of any module can't be sent. */
@Module({
  name: 'Texts',
  dependsOn: [MailModule],
  services: [TextTemplates],
  configuration: [AppUrls, WhiteLabel],
})
export class TextsModule extends KeelModule {
  override onPreApplicationInitialization({ application }: ModuleContext): void {
    if (application.checksDeclarations) application.get(TextTemplates).check()
  }
}
