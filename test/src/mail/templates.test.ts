import { AccountMailTemplates } from '@keel/account'
import { ApiHost } from '@keel/api-host'
import { type Application, Configuration, createApplication, KeelModule, Module } from '@keel/framework'
import { Mailer, MailModule } from '@keel/framework/mail'
import {
  type MailTemplate,
  type RenderedMail,
  replaceMail,
  type SmsTemplate,
  TextTemplates,
} from '@keel/framework/texts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../support/mail-server.js'

const cultures = ['en', 'de', 'es', 'fr', 'tr', 'zh-Hans']
const address = 'https://app.example/ui'

/** Words that somebody chose, each of which does harm where it is taken for more than words. */
const hostile: readonly string[] = [
  'Jane\r\nBcc: eve@example.com\r\n\r\nother body',
  'Jane\u2028\u2029\u0085\u000b\u000c\0Bcc: eve@example.com',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  `"'><a href="https://evil.example">click</a><!--`,
  '</p></div></body></html><h1>Other mail</h1>',
  '&lt;b&gt; &amp; &#x3c;',
  '\u202e\u2066\u200f\u061c moc.live \u202d',
  'محمد שלום',
  '{name} {code} {url} {productName} {lasts} $& $1 $`',
  '\r\n-- \r\nKeel\r\n.\r\nQUIT\r\n',
  '=?utf-8?B?SGVsbG8=?= "quoted" \\ ;,:<>@',
  '\ud800\udc00\ud800 \udfff',
  'x'.repeat(10_000),
  '漢'.repeat(10_000),
  '<'.repeat(10_000),
  '\u202e'.repeat(10_000),
  '👩‍👩‍👧‍👦'.repeat(1000),
  '',
  ' ',
]
const hostileLinks = [
  'javascript:alert(1)',
  'https://evil.example/Account/ResetPassword',
  `${address}@evil.example/`,
  'https://app.example/ui-evil/',
  ...hostile,
]

@Module({ dependsOn: [ApiHost, MailModule] })
class MailHost extends KeelModule {}

const application = createApplication(
  MailHost,
  new Configuration().add({ 'App:AngularUrl': address, 'Log:Level': 'silent' }, 'test'),
)
const templatesOf = (host: Application) =>
  new TextTemplates(host, host.localization, host.settings, host.configuration)
const templates = templatesOf(application)
const all = [...templates.all.values()]
const mails = all.filter((template): template is MailTemplate => template.kind === 'mail')
const messages = all.filter((template): template is SmsTemplate => template.kind === 'sms')

/** The values of an example, with one text in place of every text, of one parameter, or of none. */
function valuesOf({ parameters, example }: MailTemplate | SmsTemplate, text?: string, only?: string) {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => {
      if (parameters[name] === 'link') return [name, `${address}${value}`]
      return [name, parameters[name] === 'text' && (!only || only === name) ? (text ?? value) : value]
    }),
  )
}

/** The tags with their attributes, but for the words between them. */
const markUp = ({ html }: RenderedMail) =>
  (html.match(/<[^>]*>/g) ?? []).filter((tag) => !/<\/?bdi>/.test(tag))
const lineCount = (text: string) => text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).length

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server?.close())

test('every mail and text message of the product is a template', () => {
  expect(all.map(({ name }) => name).sort()).toEqual([
    ...[
      ...[
        'EmailChanged',
        'EmailConfirmation',
        'Invitation',
        'MembershipInvitation',
        'PasskeyAdded',
        'PasskeyRemoved',
        'PasswordChanged',
      ],
      ...['PasswordReset', 'PhoneConfirmation', 'PhoneSignIn', 'SecurityCode'],
    ].map((name) => `Account.${name}`),
    'App.Export',
    'App.ExportTooLarge',
    'App.Notification',
    'App.Notifications',
    'Lists.List',
    'Lists.TooLarge',
  ])
  expect(() => templates.check()).not.toThrow()
})

test.each(mails)('nothing that stands in a parameter of $name is more than words', async (template) => {
  const names = Object.keys(template.parameters).filter((name) => template.parameters[name] === 'text')
  for (const culture of cultures) {
    const usual = await templates.mail(template, valuesOf(template) as never, culture)
    for (const text of hostile)
      for (const only of [undefined, ...names]) {
        const mail = await templates.mail(template, valuesOf(template, text, only) as never, culture)
        expect(markUp(mail)).toEqual(markUp(usual))
        expect(lineCount(mail.text)).toBe(lineCount(usual.text))
        expect(mail.subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
        expect(`${mail.subject}${mail.text}${mail.html}`).not.toMatch(/[\u202a-\u202e\u2066\u2067\p{Cs}]/u)
        expect(mail.subject.length).toBeLessThanOrEqual(250)
        expect(mail.text.length + mail.html.length).toBeLessThan(100_000)
      }
  }
})

test.each(mails.filter(({ parameters }) => Object.values(parameters).includes('link')))(
  'no link of $name leads out of the product',
  async (template) => {
    const [name = ''] = Object.entries(template.parameters).find(([, kind]) => kind === 'link') ?? []
    for (const url of hostileLinks) {
      const values = { ...valuesOf(template), [name]: url }
      await expect(templates.mail(template, values as never)).rejects.toThrow(RangeError)
    }
  },
)

test.each(messages)(
  'nothing that stands in a parameter of $name makes it long or adds a line',
  async (template) => {
    for (const culture of cultures)
      for (const text of hostile) {
        const message = await templates.sms(template, valuesOf(template, text) as never, culture)
        expect(message.length).toBeLessThanOrEqual(268)
        expect(message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e]/u)
      }
  },
)

test('no value of a template writes a header of a mail that is sent, or an address of its envelope', async () => {
  const configuration = new Configuration().add({ 'Log:Level': 'silent', ...server.settings }, 'test')
  const sending = await createApplication(MailModule, configuration).start()
  const mailer = sending.get(Mailer)
  const send = async (template: MailTemplate, text: string) =>
    mailer.send({
      to: 'jane@example.com',
      ...(await templates.mail(template, valuesOf(template, text) as never, 'en')),
    })
  for (const template of mails) await Promise.all(hostile.map((text) => send(template, text)))
  await sending.stop()
  expect(server.received).toHaveLength(mails.length * hostile.length)
  const names = [
    'from',
    'to',
    'subject',
    'auto-submitted',
    'message-id',
    'date',
    'mime-version',
    'content-type',
  ]
  for (const { recipients, headers } of server.received) {
    expect(recipients).toEqual(['jane@example.com'])
    expect(headers.map(([name]) => name).sort()).toEqual([...names].sort())
  }
})

@Module({
  dependsOn: [ApiHost],
  templates: [
    replaceMail(AccountMailTemplates.Invitation, {
      subject: 'Mail:AcceptInvitation',
      body: [{ button: 'Mail:AcceptInvitation', link: 'url' }, { say: 'Mail:Lasts' }],
    }),
  ],
})
class HostWithOwnInvitation extends KeelModule {}

test('a host sends its own mail in place of one of the product', async () => {
  const own = templatesOf(createApplication(HostWithOwnInvitation, new Configuration()))
  own.check()
  const values = { url: 'http://localhost:4200/invitation?token=1', lasts: 10_080 }
  const { subject, text } = await own.mail(AccountMailTemplates.Invitation, values, 'en')
  expect(subject).toBe('Accept the invitation – Keel')
  expect(text).not.toContain('You are invited')
})
