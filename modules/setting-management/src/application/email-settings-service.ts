import { AutoApiController, RequiresFeature, Settings } from '@keel/framework'
import { faultOf, isMailAddress, ValidationError } from '@keel/framework/contracts'
import { PlatformFeatures } from '@keel/framework/http'
import { Mailer, MailSettings } from '@keel/framework/mail'
import { Authority, RequiresPermission } from '@keel/framework/security'
import {
  EmailSettingsAppService,
  EmailSettingsDto,
  type SendTestEmailInput,
  SettingManagementPermissions,
  StoredSettings,
  type UpdateEmailSettingsDto,
} from '../contracts/index.js'
import { formValues, readForm } from './setting-form.js'

const form = {
  smtpHost: MailSettings.SmtpHost,
  smtpPort: MailSettings.SmtpPort,
  smtpUserName: MailSettings.SmtpUserName,
  smtpPassword: MailSettings.SmtpPassword,
  smtpDomain: MailSettings.SmtpDomain,
  smtpEnableSsl: MailSettings.SmtpEnableSsl,
  smtpUseDefaultCredentials: MailSettings.SmtpUseDefaultCredentials,
  defaultFromAddress: MailSettings.DefaultFromAddress,
  defaultFromDisplayName: MailSettings.DefaultFromDisplayName,
}

@AutoApiController(EmailSettingsAppService)
@RequiresPermission(SettingManagementPermissions.Emailing)
@RequiresFeature(PlatformFeatures.SettingManagement.name)
export class EmailSettingsService implements EmailSettingsAppService {
  constructor(
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
    private readonly mailer: Mailer,
    private readonly authority: Authority,
  ) {}

  async get(): Promise<EmailSettingsDto> {
    return { ...(await readForm(this.settings, EmailSettingsDto, form)), smtpPassword: '' }
  }

  /** Links that reset passwords go through this server: whoever chooses it reads them. */
  async update(input: UpdateEmailSettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    demandAddress('defaultFromAddress', input.defaultFromAddress)
    const { smtpHost, smtpUserName, smtpPassword, smtpDomain } = input
    const keepsPassword = !smtpPassword && smtpUserName
    await this.stored.setForEverybody(
      formValues(form, {
        ...input,
        smtpHost: smtpHost || null,
        smtpUserName: smtpUserName || null,
        smtpPassword: keepsPassword ? undefined : smtpPassword || null,
        smtpDomain: smtpDomain || null,
      }),
    )
  }

  @RequiresPermission(SettingManagementPermissions.EmailingTest)
  async sendTestEmail(input: SendTestEmailInput): Promise<void> {
    const { senderEmailAddress, targetEmailAddress, subject, body } = input
    demandAddress('senderEmailAddress', senderEmailAddress)
    demandAddress('targetEmailAddress', targetEmailAddress)
    await this.mailer.send({
      from: { address: senderEmailAddress },
      to: targetEmailAddress,
      subject,
      text: body ?? '',
    })
  }
}

function demandAddress(member: string, address: string): void {
  if (!isMailAddress(address)) throw new ValidationError([faultOf(member, 'Validation:MailAddress')])
}
