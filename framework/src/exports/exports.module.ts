import { JobsModule } from '../jobs/jobs.module.js'
import { MailQueueModule } from '../mail/mail.module.js'
import { KeelModule, Module } from '../modularity/module.js'
import { TextsModule } from '../texts/texts.module.js'
import { ListFiles } from './list-files.js'
import { ListMailSettings, ListMails, ListMailTemplates } from './list-mails.js'

/** Reads lists as files behind the answer, and mails them to the people who want them. */
@Module({
  name: 'Exports',
  dependsOn: [JobsModule, MailQueueModule, TextsModule],
  services: [ListFiles, ListMails],
  templates: Object.values(ListMailTemplates),
  configuration: [ListMailSettings],
})
export class ExportsModule extends KeelModule {}
