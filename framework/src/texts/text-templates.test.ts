import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { type Application, createApplication } from '../modularity/application.js'
import { Configuration } from '../modularity/configuration.js'
import type { ListedTemplate } from '../modularity/loaded-module.js'
import { KeelModule, Module } from '../modularity/module.js'
import { type MailBlock, mailTemplate, replaceMail, smsTemplate } from './text-template.js'
import { TextTemplates } from './text-templates.js'
import { TextsModule } from './texts.module.js'

const folder = mkdtempSync(join(tmpdir(), 'keel-texts-'))
afterAll(() => rmSync(folder, { recursive: true }))
const texts = {
  Subject: 'Gate {gate}',
  Said: 'Your gate at {productName} is {gate}, for {lasts}.',
  Open: 'Open',
  WithLink: 'See {url}',
  Misspelt: 'Your gate is {gtae}',
  Long: `${'x'.repeat(250)} {gate}`,
  Short: 'Gate {gate}',
}
writeFileSync(join(folder, 'en.json'), JSON.stringify(texts))
writeFileSync(join(folder, 'de.json'), JSON.stringify({ Subject: 'Tor {gate}', Short: 'Tor' }))
const localization = pathToFileURL(`${folder}/`)

const parameters = { gate: 'text', lasts: 'duration', url: 'link' } as const
const example = { gate: 'A4', lasts: 90, url: '/gate' }
const GateMail = mailTemplate('Yard.Gate', {
  parameters,
  subject: 'Subject',
  body: [{ say: 'Said' }, { button: 'Open', link: 'url' }],
  example,
})
const values = { gate: 'B5', lasts: 1440, url: 'https://yard.example/app/gates/b5?day=1' }

const settings = { 'App:SelfUrl': 'https://yard.example/app', 'App:WhiteLabeling:AppName': 'Yard' }

function compose(templates: readonly ListedTemplate[], more: Record<string, string> = {}): TextTemplates {
  @Module({ name: 'Yard', dependsOn: [TextsModule], templates, localization })
  class YardModule extends KeelModule {}
  const configuration = new Configuration().add({ 'Log:Level': 'silent', ...settings, ...more }, 'test')
  return templatesOf(createApplication(YardModule, configuration))
}

const templatesOf = (application: Application) =>
  new TextTemplates(application, application.localization, application.settings, application.configuration)

test('a mail says the same as text and as HTML, in the language that is asked for', async () => {
  const mail = await compose([GateMail]).mail(GateMail, values, 'de')
  expect(mail.subject).toBe('Tor B5 – Yard')
  expect(mail.text).toBe(
    'Tor B5\n\nYour gate at Yard is B5, for 24 Stunden.\n\nOpen:\nhttps://yard.example/app/gates/b5?day=1\n\n-- \nYard\nAutomatisch verschickt von Yard.\n',
  )
  for (const shown of [
    '<html lang="de">',
    'is B5, for 24 Stunden.',
    'href="https://yard.example/app/gates/b5?day=1"',
  ])
    expect(mail.html).toContain(shown)
})

test('values are escaped, stay on their line, are cut, and are never taken for placeholders', async () => {
  const gate = `<b>&"'\r\n{lasts}\u202Etxt.exe${'x'.repeat(10_000)}`
  const { subject, text, html } = await compose([GateMail]).mail(GateMail, { ...values, gate }, 'en')
  expect(subject).toMatch(/^Gate <b>&"' \{lasts\}txt\.exex{60,}… – Yard$/)
  expect(text).toContain(`is <b>&"' {lasts}txt.exexxx`)
  expect(html).toContain('is &lt;b&gt;&amp;&quot;&#39; {lasts}txt.exexxx')
  expect(text.length).toBeLessThan(2500)
})

test('a value that is read from the right does not turn what stands beside it', async () => {
  const { text, html } = await compose([GateMail]).mail(GateMail, { ...values, gate: 'שער 4' }, 'en')
  expect(text).toContain('is \u2068שער 4\u2069, for 24 hours.')
  expect(html).toContain('is <bdi>שער 4</bdi>, for 24 hours.')
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'https://evil.example/app/gates',
  'https://yard.example/other',
  'https://yard.example/app/../other',
  'https://yard.example/application',
  'https://yard.example@evil.example/app/',
  'https://jane:secret@yard.example/app/',
  'http://yard.example/app/',
  '//evil.example/app',
  '/app/gates',
  '',
])('a link to %s is refused', async (url) => {
  await expect(compose([GateMail]).mail(GateMail, { ...values, url })).rejects.toThrow(RangeError)
})

test('a host replaces a template by its name, and keeps its parameters', async () => {
  const own = replaceMail(GateMail, {
    subject: 'Subject',
    body: [{ button: 'Open', link: 'url' }, { say: 'Said' }],
  })
  const { text } = await compose([GateMail, own]).mail(GateMail, values, 'en')
  expect(text.indexOf('Open:')).toBeLessThan(text.indexOf('Your gate'))
})

test('a logo of the white label is carried by the mail, or fetched over https', async () => {
  const logo = (logoUrl: string) =>
    compose([GateMail], { 'App:WhiteLabeling:LogoUrl': logoUrl }).mail(GateMail, values)
  const carried = await logo(`data:image/png;base64,${Buffer.from('picture').toString('base64')}`)
  expect(carried.html).toContain('<img src="cid:logo@keel" alt="Yard"')
  expect(carried.attachments).toEqual([
    {
      fileName: 'logo.png',
      contentType: 'image/png',
      contentId: 'logo@keel',
      content: Buffer.from('picture'),
    },
  ])
  const fetched = await logo('https://cdn.example.com/logo.png')
  expect([fetched.html.includes('<img src="https://cdn.example.com/logo.png"'), fetched.attachments]).toEqual(
    [true, undefined],
  )
  expect((await logo('data:image/svg+xml,<svg/>')).html).not.toContain('<img')
})

const body = GateMail.body
test.each([
  [
    'a key without a text',
    mailTemplate('Yard.A', { parameters, subject: 'Nothing', body, example }),
    'Nothing',
  ],
  [
    'a text with an unknown parameter',
    mailTemplate('Yard.A', { parameters, subject: 'Misspelt', body, example }),
    '{gtae}, which is no parameter',
  ],
  [
    'a link in a text',
    mailTemplate('Yard.A', { parameters, subject: 'WithLink', body, example }),
    'use a button',
  ],
  [
    'a parameter that nothing shows',
    mailTemplate('Yard.A', { parameters, subject: 'Subject', body: [{ say: 'Said' }], example }),
    'nothing shows its parameter url',
  ],
  [
    'a parameter that one language does not show',
    smsTemplate('Yard.A', { parameters: { gate: 'text' }, text: 'Short', example: { gate: 'A4' } }),
    'nothing shows its parameter gate in de',
  ],
  [
    'a text message that may be too long',
    smsTemplate('Yard.A', { parameters: { gate: 'text' }, text: 'Long', example: { gate: 'A4' } }),
    'may be longer than the 268 characters',
  ],
  [
    'an example without a value',
    mailTemplate('Yard.A', {
      parameters,
      subject: 'Subject',
      body,
      example: { gate: 'A4', lasts: 1 } as never,
    }),
    'its example has no url',
  ],
])('%s stops the start', (_what, template, told) => {
  expect(() => compose([template]).check()).toThrow(told)
})

test('two templates of one name, and one that replaces none, stop the start', () => {
  const twin = mailTemplate('Yard.Gate', { parameters, subject: 'Subject', body, example })
  expect(() => compose([GateMail, twin])).toThrow('There are two templates Yard.Gate')
  expect(() => compose([replaceMail(GateMail, GateMail)])).toThrow(
    'replaces one that no module before it lists',
  )
})

/** Never called: the compiler reads it. */
export function refusedByTheCompiler(templates: TextTemplates): void {
  // @ts-expect-error the link is missing
  void templates.mail(GateMail, { gate: 'A4', lasts: 1 })
  // @ts-expect-error there is no such parameter
  void templates.mail(GateMail, { ...values, day: 1 })
  // @ts-expect-error a duration is a number
  void templates.mail(GateMail, { ...values, lasts: '1' })
  // @ts-expect-error a button leads to a link
  const block: MailBlock<typeof parameters> = { button: 'Open', link: 'gate' }
  expect(block).toBe(undefined)
}
