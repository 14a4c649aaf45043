import { MailSettings } from '../mail/mail-settings.js'
import { longestSubject, type MailAttachment } from '../mail/mailer.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Configuration } from '../modularity/configuration.js'
import { Injectable } from '../modularity/injectable.js'
import type { ListedTemplate } from '../modularity/loaded-module.js'
import { Localization } from '../modularity/localization.js'
import { Settings } from '../modularity/settings.js'
import { StartupError } from '../modularity/startup-error.js'
import { longestText } from '../sms/sms-sender.js'
import { LinkTargets } from './app-urls.js'
import { type MailLook, type MailPart, mailAsHtml, mailAsText, plain, type TextPiece } from './mail-layout.js'
import type {
  MailBlock,
  MailTemplate,
  ParameterKinds,
  SmsTemplate,
  TemplateParameters,
  TemplateValues,
  TextTemplate,
} from './text-template.js'
import { cleanText, durationText, longestValue, shortened } from './text-values.js'
import { WhiteLabel } from './white-label.js'

/** A mail in one language, to be given to the mailer beside its recipients. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The logo, where the mail carries it. */
  readonly attachments?: readonly MailAttachment[]
}

const footerKey = 'Keel:MailFooter'
const logoId = 'logo@keel'
const longestLogo = 65_536
const longestName = 'x'.repeat(longestValue.sms)
const placeholder = /\{(\w+)\}/g

type Values = TemplateValues<TemplateParameters>

/** Everything that a text may show: the values that were given, and the product's name. */
interface Filling {
  readonly template: TextTemplate
  readonly culture: string
  readonly values: Values
  readonly productName: string
}

/**
 * Writes the mails and text messages of all modules in a language. What can be wrong with a template is found when the host starts: a
 * key without a text, a text that names no parameter, a parameter that a language does not show, a text message that may grow too long.
 */
@Injectable()
export class TextTemplates {
  /** The templates in force, by name: those of a host in place of those that they replace. */
  readonly all: ReadonlyMap<string, TextTemplate>
  private readonly links: LinkTargets
  private readonly look: MailLook
  private readonly logo: MailAttachment | undefined

  constructor(
    application: Application,
    private readonly localization: Localization,
    private readonly settings: Settings,
    private readonly configuration: Configuration,
  ) {
    this.all = templatesInForce(application.modules.flatMap(({ options }) => options.templates ?? []))
    this.links = new LinkTargets(configuration)
    const { logoUrl, ...colors } = configuration.read(WhiteLabel).whiteLabeling
    this.logo = inlineLogo(logoUrl)
    const linked = logoUrl?.startsWith('https:') ? logoUrl : undefined
    this.look = { ...colors, logoUrl: this.logo ? `cid:${logoId}` : linked }
  }

  /** The product's name in messages: the white label's `AppName`, else the display name of the sender of mails. */
  async productName(): Promise<string> {
    return (
      this.configuration.get('App:WhiteLabeling:AppName') ??
      (await this.settings.valueOf(MailSettings.DefaultFromDisplayName.name)) ??
      'Keel'
    )
  }

  /**
   * A mail in a language, that of the work at hand when not given. Throws for a link that leads to no application of this host, and
   * for a template that no module lists; no other value is refused.
   * @example await this.mailer.sendLater({ to, ...(await this.templates.mail(WelcomeMail, { name, url })) })
   */
  async mail<P extends TemplateParameters>(
    template: MailTemplate<P>,
    values: TemplateValues<P>,
    culture = ambient().culture,
  ): Promise<RenderedMail> {
    const listed = this.inForce(template) as MailTemplate
    return this.renderMail(listed, { values, culture, productName: await this.productName() })
  }

  /** A text message in a language, as {@link mail}. */
  async sms<P extends TemplateParameters>(
    template: SmsTemplate<P>,
    values: TemplateValues<P>,
    culture = ambient().culture,
  ): Promise<string> {
    const listed = this.inForce(template) as SmsTemplate
    return this.renderSms(listed, { values, culture, productName: await this.productName() })
  }

  /** A template with its example values, as previews show it. */
  example(template: TextTemplate, culture: string, productName: string): RenderedMail | string {
    const values = mapValues(template.example, (value, name) =>
      template.parameters[name] === 'link' ? this.links.exampleOf(String(value)) : value,
    )
    const filling = { values, culture, productName }
    return template.kind === 'sms' ? this.renderSms(template, filling) : this.renderMail(template, filling)
  }

  /** Throws for the first template that could not be sent in a language of the host. */
  check(): void {
    for (const template of this.all.values()) {
      for (const culture of this.localization.cultures) this.checkIn(template, culture)
      for (const name of Object.keys(template.parameters))
        if (template.example[name] === undefined) fail(template, `its example has no ${name}`)
    }
  }

  private checkIn(template: TextTemplate, culture: string): void {
    const { keys, shown } = contentOf(template)
    for (const key of template.kind === 'mail' ? [...keys, footerKey] : keys) {
      const text = this.localization.find(key, culture)
      if (text === undefined) fail(template, `no module has its text ${key}: add it to the resource files`)
      for (const [, name = ''] of text.matchAll(placeholder)) {
        const kind = template.parameters[name]
        if (kind === 'link') fail(template, `${key} in ${culture} shows the link {${name}}: use a button`)
        if (!kind && name !== 'productName')
          fail(template, `${key} in ${culture} has {${name}}, which is no parameter of it`)
        shown.add(name)
      }
    }
    const unseen = Object.keys(template.parameters).find((name) => !shown.has(name))
    if (unseen) fail(template, `nothing shows its parameter ${unseen} in ${culture}`)
    if (template.kind === 'mail') return
    const longest = this.piecesOf(template.text, {
      template,
      culture,
      values: mapValues(template.example, (value, name) =>
        template.parameters[name] === 'text' ? longestName : value,
      ),
      productName: longestName,
    })
    if (plain(longest).length > longestText)
      fail(template, `in ${culture} it may be longer than the ${longestText} characters of a text message`)
  }

  private inForce({ name }: ListedTemplate): TextTemplate {
    const found = this.all.get(name)
    if (found) return found
    throw new Error(`There is no template ${name}: list it in templates of a module`)
  }

  private renderMail(
    template: MailTemplate,
    { productName: given, ...rest }: Omit<Filling, 'template'>,
  ): RenderedMail {
    const productName = cleanText(given, longestValue.subject)
    const filling = { ...rest, template, productName }
    const heading = this.piecesOf(template.subject, filling, longestValue.subject)
    const { culture } = filling
    const draft = {
      culture,
      productName,
      heading,
      parts: template.body.map((block) => this.partOf(block, filling)),
      footer: this.piecesOf(footerKey, filling),
      look: this.look,
    }
    return {
      subject: shortened(`${plain(heading)} – ${productName}`, longestSubject),
      text: mailAsText(draft),
      html: mailAsHtml(draft),
      ...(this.logo && { attachments: [this.logo] }),
    }
  }

  private renderSms(template: SmsTemplate, filling: Omit<Filling, 'template'>): string {
    const text = plain(this.piecesOf(template.text, { ...filling, template }, longestValue.sms))
    return shortened(text, longestText)
  }

  private partOf(block: MailBlock, filling: Filling): MailPart {
    if ('say' in block) return { kind: 'paragraph', pieces: this.piecesOf(block.say, filling) }
    if ('note' in block) return { kind: 'note', pieces: this.piecesOf(block.note, filling) }
    if ('code' in block) return { kind: 'code', pieces: [this.valueOf(block.code, filling)] }
    if ('button' in block) {
      const url = this.links.demand(String(filling.values[block.link] ?? ''))
      return { kind: 'button', pieces: this.piecesOf(block.button, filling), url }
    }
    const isGiven = this.valueOf(block.ifGiven, filling).text !== ''
    return this.partOf(isGiven ? block.show : block.otherwise, filling)
  }

  /** The text of a key, with the values apart from what the resource file says: nothing in a value is taken for a placeholder. */
  private piecesOf(key: string, filling: Filling, most: number = longestValue.mail): TextPiece[] {
    const text = this.localization.find(key, filling.culture) ?? key
    // The odd ones are the names of placeholders.
    return text
      .split(placeholder)
      .map((piece, index) =>
        index % 2 ? this.valueOf(piece, filling, most) : { text: piece, isValue: false },
      )
      .filter((piece) => piece.text !== '')
  }

  private valueOf(
    name: string,
    { template, culture, ...filling }: Filling,
    most: number = longestValue.mail,
  ): TextPiece {
    const value = name === 'productName' ? filling.productName : filling.values[name]
    const text =
      template.parameters[name] === 'duration' ? durationText(Number(value), culture) : String(value ?? '')
    return { text: cleanText(text, most), isValue: true }
  }
}

/** Of templates with one name, the last that replaces another. */
function templatesInForce(listed: readonly ListedTemplate[]): Map<string, TextTemplate> {
  const found = new Map<string, TextTemplate>()
  for (const template of listed as readonly TextTemplate[]) {
    const before = found.get(template.name)
    if (before && before !== template && !template.replaces)
      throw new StartupError(
        `There are two templates ${template.name}: give one another name, or replace one with replaceMail or replaceSms`,
      )
    if (!before && template.replaces)
      throw new StartupError(
        `The template ${template.name} replaces one that no module before it lists: add that module to dependsOn`,
      )
    if (!before?.replaces || template.replaces) found.set(template.name, template)
  }
  return found
}

/** The keys of a template's texts, and the parameters that it shows beside them. */
function contentOf(template: TextTemplate): { keys: string[]; shown: Set<string> } {
  if (template.kind === 'sms') return { keys: [template.text], shown: new Set() }
  const blocks = template.body.flatMap(function unfold(block: MailBlock): MailBlock[] {
    return 'ifGiven' in block ? [block, ...unfold(block.show), ...unfold(block.otherwise)] : [block]
  })
  const keys = blocks.flatMap((block) =>
    'say' in block ? [block.say] : 'note' in block ? [block.note] : 'button' in block ? [block.button] : [],
  )
  const shown = blocks.flatMap((block) =>
    'button' in block ? [block.link] : 'code' in block ? [block.code] : [],
  )
  return { keys: [template.subject, ...keys], shown: new Set(shown) }
}

/** A logo that mails carry: readers show PNG, JPEG and GIF, and no `data:` address. */
function inlineLogo(logoUrl: string | undefined): MailAttachment | undefined {
  const [, contentType, base64] =
    /^data:(image\/(?:png|jpeg|gif));base64,([A-Za-z0-9+/=]+)$/.exec(logoUrl ?? '') ?? []
  if (!contentType || !base64 || base64.length * 0.75 > longestLogo) return undefined
  const fileName = `logo.${contentType.slice('image/'.length)}`
  return { fileName, contentType, contentId: logoId, content: Buffer.from(base64, 'base64') }
}

function mapValues(
  values: Values,
  change: (value: ParameterKinds[keyof ParameterKinds], name: string) => string | number,
): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))
}

function fail(template: TextTemplate, fault: string): never {
  throw new StartupError(`The template ${template.name} can not be sent: ${fault}`)
}
