import { AppService, Dto, op, z } from '@keel/framework/contracts'
import { SettingManagement } from './setting-management.js'

const route = '/api/setting-management/emailing'
const text = z.string().trim().max(1024)
const address = z.string().trim().min(1).max(1024)

/** The sender of mails and the mail server. The password is never shown: it is empty. */
export class EmailSettingsDto extends Dto({
  smtpHost: z.string().nullable(),
  smtpPort: z.int(),
  smtpUserName: z.string().nullable(),

  /** Always empty: the password is never told. */
  smtpPassword: z.string().nullable(),

  /** The domain of the account, for servers that ask for one. */
  smtpDomain: z.string().nullable(),
  smtpEnableSsl: z.boolean(),

  /** True when the mail server gets no user name and password. */
  smtpUseDefaultCredentials: z.boolean(),
  defaultFromAddress: z.string(),
  defaultFromDisplayName: z.string(),
}) {}

/**
 * The same to be set. What is empty goes back to its default; an empty password keeps the one that is stored,
 * unless the user name is empty too.
 */
export class UpdateEmailSettingsDto extends Dto({
  smtpHost: z.string().trim().max(256).nullish(),
  smtpPort: z.int().min(1).max(65535),
  smtpUserName: text.nullish(),

  /** Empty to keep the one that is stored. */
  smtpPassword: z.string().max(1024).nullish(),

  /** The domain of the account, for servers that ask for one. */
  smtpDomain: text.nullish(),
  smtpEnableSsl: z.boolean().default(false),

  /** True when the mail server gets no user name and password. */
  smtpUseDefaultCredentials: z.boolean().default(false),
  defaultFromAddress: address,
  defaultFromDisplayName: address,
}) {}

/** A message that shows whether the settings are right. */
export class SendTestEmailInput extends Dto({
  senderEmailAddress: address,
  targetEmailAddress: address,
  subject: z.string().trim().min(1).max(250),
  body: z.string().max(10_000).nullish(),
}) {}

/** The settings of e-mail, as ABP's setting page asks for them. */
export abstract class EmailSettingsAppService extends AppService(
  SettingManagement,
  'EmailSettingsAppService',
  {
    /** Gets the settings of e-mail, without the password. */
    get: op().returns(EmailSettingsDto).at('GET', route),
    /** Sets the settings of e-mail. */
    update: op(UpdateEmailSettingsDto).at('POST', route),
    /**
     * Sends a test message at once, with the settings that are stored. The error of a server that refuses
     * it is told.
     */
    sendTestEmail: op(SendTestEmailInput).at('POST', `${route}/send-test-email`),
  },
) {}
