import type { ListedTemplate } from '../modularity/loaded-module.js'

/** The kinds of parameters, each with the type of its values. */
export interface ParameterKinds {
  /** Words of a person: escaped, on one line, without control characters, cut where they are too long. */
  readonly text: string
  /** A whole number of minutes, shown as minutes, hours or days. */
  readonly duration: number
  /** An address below `App:SelfUrl` or of another application that the host knows; any other is refused. */
  readonly link: string
}

/** The parameters of a template: their kinds by their names. */
export type TemplateParameters = Readonly<Record<string, keyof ParameterKinds>>

/** The values of a template's parameters. A text may be empty; nothing may be left out. */
export type TemplateValues<P extends TemplateParameters> = { readonly [N in keyof P]: ParameterKinds[P[N]] }

/** The names of the parameters of one kind. */
export type ParameterNames<P extends TemplateParameters, K extends keyof ParameterKinds> = {
  [N in keyof P]: K extends P[N] ? N : never
}[keyof P] &
  string

/**
 * A part of a mail. `say`, `note` and `button` name keys of the resource files, whose texts take `{productName}` and the
 * template's texts and durations by their names.
 */
export type MailBlock<P extends TemplateParameters = TemplateParameters> =
  /** A paragraph. */
  | { readonly say: string }
  /** A paragraph in small letters. */
  | { readonly note: string }
  /** A button, with its address below. */
  | { readonly button: string; readonly link: ParameterNames<P, 'link'> }
  /** A code that the reader types. */
  | { readonly code: ParameterNames<P, 'text'> }
  /** One block while a text is not empty, else another. */
  | {
      readonly ifGiven: ParameterNames<P, 'text'>
      readonly show: MailBlock<P>
      readonly otherwise: MailBlock<P>
    }

/** The parts of a mail template that a host may replace. */
export interface MailContent<P extends TemplateParameters> {
  /** The key of a text of one line, which is the heading too. */
  readonly subject: string
  readonly body: readonly MailBlock<P>[]
}

/** A mail in every language of the product. */
export interface MailTemplate<P extends TemplateParameters = TemplateParameters>
  extends ListedTemplate,
    MailContent<P> {
  readonly kind: 'mail'
  readonly parameters: P
  /** Values for the preview and for the check at the start; links as paths, e.g. `/Account/ResetPassword`. */
  readonly example: TemplateValues<P>
}

/** A text message in every language of the product. */
export interface SmsTemplate<P extends TemplateParameters = TemplateParameters> extends ListedTemplate {
  readonly kind: 'sms'
  readonly parameters: P
  readonly example: TemplateValues<P>
  /** The key of the text. */
  readonly text: string
}

/** A mail or a text message, as a module lists it in `templates`. */
export type TextTemplate = MailTemplate | SmsTemplate

/**
 * Defines a mail, for `templates` of a module. The layout, with the product's name or logo and a footer, is the same for all.
 * @param name e.g. `Account.PasswordReset`; a host replaces the template by it
 * @example export const WelcomeMail = mailTemplate('Yard.Welcome', { parameters: { name: 'text', url: 'link' }, subject: 'Mail:WelcomeSubject', body: [{ say: 'Mail:Welcome' }, { button: 'Mail:Open', link: 'url' }], example: { name: 'Jane', url: '/yard' } })
 */
export function mailTemplate<const P extends TemplateParameters>(
  name: string,
  content: { readonly parameters: P; readonly example: NoInfer<TemplateValues<P>> } & NoInfer<MailContent<P>>,
): MailTemplate<P> {
  return { ...content, name, kind: 'mail' }
}

/**
 * Defines a text message, for `templates` of a module.
 * @example export const GateSms = smsTemplate('Yard.Gate', { parameters: { gate: 'text' }, text: 'Sms:Gate', example: { gate: 'A4' } })
 */
export function smsTemplate<const P extends TemplateParameters>(
  name: string,
  content: { readonly parameters: P; readonly example: NoInfer<TemplateValues<P>>; readonly text: string },
): SmsTemplate<P> {
  return { ...content, name, kind: 'sms' }
}

/**
 * A mail in place of another module's, with the same name and parameters: for `templates` of a module that depends on that one.
 * Texts alone are replaced by resource files of a later module, without this.
 * @example replaceMail(AccountMailTemplates.Invitation, { subject: 'Mail:WelcomeSubject', body: [{ say: 'Mail:Welcome' }, …] })
 */
export function replaceMail<P extends TemplateParameters>(
  original: MailTemplate<P>,
  content: MailContent<P>,
): MailTemplate<P> {
  return { ...original, ...content, replaces: original }
}

/** A text message in place of another module's, as {@link replaceMail}. */
export function replaceSms<P extends TemplateParameters>(
  original: SmsTemplate<P>,
  content: Pick<SmsTemplate<P>, 'text'>,
): SmsTemplate<P> {
  return { ...original, ...content, replaces: original }
}
