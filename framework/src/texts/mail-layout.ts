import { readableOn, textOn } from './colors.js'
import { turnsLine } from './text-values.js'

/** A piece of a text: of a resource file, or a value that was filled in. */
export interface TextPiece {
  readonly text: string
  readonly isValue: boolean
}

/** A part of a mail in the reader's language. */
export type MailPart =
  | { readonly kind: 'paragraph' | 'note'; readonly pieces: readonly TextPiece[] }
  | { readonly kind: 'button'; readonly pieces: readonly TextPiece[]; readonly url: string }
  | { readonly kind: 'code'; readonly pieces: readonly TextPiece[] }

/** A mail in the reader's language, before the layout. */
export interface MailDraft {
  /** E.g. `de`. */
  readonly culture: string
  readonly productName: string
  readonly heading: readonly TextPiece[]
  readonly parts: readonly MailPart[]
  readonly footer: readonly TextPiece[]
  readonly look: MailLook
}

/** The white label of mails. */
export interface MailLook {
  /** The address of the logo: https, or `cid:` of a picture that the mail carries. */
  readonly logoUrl: string | undefined
  readonly primaryColor: string
  readonly primaryColorDark: string
}

const cards = { light: '#ffffff', dark: '#18212b' }

/** The mail as plain text. */
export function mailAsText({ productName, heading, parts, footer }: MailDraft): string {
  const lines = parts.map((part) => {
    const said = plain(part.pieces)
    return part.kind === 'button' ? `${said}:\n${part.url}` : part.kind === 'code' ? `    ${said}` : said
  })
  return `${[plain(heading), ...lines, `-- \n${productName}\n${plain(footer)}`].join('\n\n')}\n`
}

/** The mail as HTML, without script and with nothing that is fetched but a logo that has an address. */
export function mailAsHtml({ culture, productName, heading, parts, footer, look }: MailDraft): string {
  const { logoUrl, primaryColor, primaryColorDark } = look
  const [accent, accentDark] = [
    readableOn(cards.light, primaryColor),
    readableOn(cards.dark, primaryColorDark),
  ]
  const name = escapeHtml(productName)
  const brand = logoUrl
    ? `<img src="${escapeHtml(logoUrl)}" alt="${name}" height="40" style="height:40px;max-width:100%;border:0">`
    : name
  const button = `display:inline-block;padding:10px 20px;border-radius:4px;background:${accent};color:${textOn(accent)};text-decoration:none`
  return `<!doctype html>
<html lang="${escapeHtml(culture)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${markUp(heading)}</title>
<style>@media (prefers-color-scheme: dark) {
.page { background: #10161d !important } .card { background: ${cards.dark} !important; color: #e4e9ee !important } .quiet { color: #a9b4bf !important }
.button { background: ${accentDark} !important; color: ${textOn(accentDark)} !important }
}</style></head>
<body class="page" style="margin:0;padding:16px;background:#f2f4f6;font-family:Arial,Helvetica,sans-serif;font-size:15px;line-height:1.5">
<div class="card" style="max-width:512px;margin:0 auto;padding:24px;border-radius:8px;background:${cards.light};color:#222;overflow-wrap:break-word">
<p style="margin:0 0 24px;font-weight:bold">${brand}</p>
<h1 style="margin:0 0 16px;font-size:20px">${markUp(heading)}</h1>
${parts.map(htmlOf).join('\n')}
<p class="quiet" style="margin:24px 0 0;font-size:13px;color:#555">${markUp(footer)}</p>
</div>
</body>
</html>
`

  function htmlOf(part: MailPart): string {
    const said = markUp(part.pieces)
    switch (part.kind) {
      case 'paragraph':
        return `<p style="margin:0 0 16px">${said}</p>`
      case 'note':
        return `<p class="quiet" style="margin:0 0 16px;font-size:13px;color:#555">${said}</p>`
      case 'code':
        return `<p style="margin:24px 0;font-size:28px;letter-spacing:6px;font-family:monospace">${said}</p>`
      case 'button': {
        const url = escapeHtml(part.url)
        return `<p style="margin:24px 0"><a class="button" href="${url}" style="${button}">${said}</a></p>
<p class="quiet" style="margin:0 0 16px;font-size:12px;color:#555;word-break:break-all">${url}</p>`
      }
    }
  }
}

/** Values that turn the direction of a line stand between marks that end it again. */
export function plain(pieces: readonly TextPiece[]): string {
  return pieces
    .map(({ text, isValue }) => (isValue && turnsLine(text) ? `\u2068${text}\u2069` : text))
    .join('')
}

function markUp(pieces: readonly TextPiece[]): string {
  return pieces
    .map(({ text, isValue }) => {
      const escaped = escapeHtml(text).replaceAll('\n', '<br>')
      return isValue && turnsLine(text) ? `<bdi>${escaped}</bdi>` : escaped
    })
    .join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text that stands in HTML, between tags or in quotes, as itself. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
