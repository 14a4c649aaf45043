import { type MailBlock, mailTemplate, smsTemplate, type TemplateParameters } from '@keel/framework/texts'

const named = { name: 'text' } as const satisfies TemplateParameters
const example = { name: 'Jane Doe' }

/** A person who enters a stranger's address must not choose a word of the mail: the name is empty until the address is confirmed. */
const greeting: MailBlock<typeof named> = {
  ifGiven: 'name',
  show: { say: 'Mail:Greeting' },
  otherwise: { say: 'Mail:GreetingWithoutName' },
}

const link = { ...named, url: 'link', lasts: 'duration' } as const
const code = { ...named, code: 'text', lasts: 'duration' } as const
const phoneCode = { code: 'text', lasts: 'duration' } as const

/** The mails of the module. Hosts replace them with `replaceMail`. */
export const AccountMailTemplates = {
  PasswordReset: mailTemplate('Account.PasswordReset', {
    parameters: link,
    subject: 'PasswordReset',
    body: [
      greeting,
      { say: 'PasswordResetInfoInEmail' },
      { say: 'Mail:Lasts' },
      { button: 'ResetMyPassword', link: 'url' },
      { note: 'Mail:NotAskedFor' },
    ],
    example: { ...example, url: '/Account/ResetPassword?userId=3a0c&resetToken=q8Zs', lasts: 60 },
  }),
  EmailConfirmation: mailTemplate('Account.EmailConfirmation', {
    parameters: link,
    subject: 'EmailConfirmation',
    body: [
      greeting,
      { say: 'EmailConfirmationInfoInEmail' },
      { say: 'Mail:Lasts' },
      { button: 'ConfirmMyEmail', link: 'url' },
      { note: 'Mail:NotAskedFor' },
    ],
    example: {
      ...example,
      url: '/Account/EmailConfirmation?userId=3a0c&confirmationToken=q8Zs',
      lasts: 1440,
    },
  }),
  Invitation: invitation('Invitation'),
  /** Into a company: its name, which its members choose, stands on the page behind the link alone. */
  MembershipInvitation: invitation('MembershipInvitation'),
  SecurityCode: mailTemplate('Account.SecurityCode', {
    parameters: code,
    subject: 'EmailSecurityCodeSubject',
    body: [
      greeting,
      { say: 'EmailSecurityCodeInfoInEmail' },
      { say: 'Mail:Lasts' },
      { code: 'code' },
      { note: 'Mail:SomebodyKnowsPassword' },
    ],
    example: { ...example, code: '123456', lasts: 10 },
  }),
  EmailChanged: notice('EmailChanged', 'Mail:ChangedByOthers'),
  PasswordChanged: notice('PasswordChanged', 'Mail:ChangedByOthers'),
  PasskeyAdded: notice('PasskeyAdded', 'Mail:PasskeyChangedByOthers'),
  PasskeyRemoved: notice('PasskeyRemoved', 'Mail:PasskeyChangedByOthers'),
}

/** The text messages of the module, by the purposes of their codes. */
export const AccountSmsTemplates = {
  PhoneConfirmation: smsTemplate('Account.PhoneConfirmation', {
    parameters: phoneCode,
    text: 'Sms:PhoneConfirmation',
    example: { code: '123456', lasts: 5 },
  }),
  PhoneSignIn: smsTemplate('Account.PhoneSignIn', {
    parameters: phoneCode,
    text: 'Sms:PhoneSignIn',
    example: { code: '123456', lasts: 5 },
  }),
}

/** A mail that invites. The owner of the address is unknown: the mail names nobody. */
function invitation(name: string) {
  return mailTemplate(`Account.${name}`, {
    parameters: { url: 'link', lasts: 'duration' },
    subject: 'Mail:InvitationSubject',
    body: [
      { say: 'Mail:GreetingWithoutName' },
      { say: `Mail:${name}` },
      { say: 'Mail:Lasts' },
      { button: 'Mail:AcceptInvitation', link: 'url' },
      { note: 'Mail:NotAskedFor' },
    ],
    example: { url: '/Account/Invitation?token=q8Zs', lasts: 7 * 1440 },
  })
}

/** A mail that tells of a change. */
function notice(name: string, note: string) {
  return mailTemplate(`Account.${name}`, {
    parameters: named,
    subject: `Mail:${name}Subject`,
    body: [greeting, { say: `Mail:${name}` }, { note }],
    example,
  })
}
