/** The texts of a mail, in the reader's language and as plain text. */
export interface MailContent {
  /** E.g. `de`. */
  readonly culture: string
  readonly productName: string
  readonly title: string
  readonly paragraphs: readonly string[]
  /** The button's text and address. */
  readonly action?: { readonly label: string; readonly url: string }
  /** The code that the reader is to type. */
  readonly code?: string
  readonly footer: string
}

/**
 * A mail as text and as HTML, which has no pictures, no script and nothing that is fetched. Everything that
 * is filled in is escaped.
 */
export function renderMail(content: MailContent): { text: string; html: string } {
  return { text: asText(content), html: asHtml(content) }
}

function asText({ productName, title, paragraphs, action, code, footer }: MailContent): string {
  const parts = [
    title,
    ...paragraphs,
    action && `${action.label}:\n${action.url}`,
    code && `    ${code}`,
    footer,
  ]
  return `${[...parts.filter(Boolean), `-- \n${productName}`].join('\n\n')}\n`
}

function asHtml({ culture, productName, title, paragraphs, action, code, footer }: MailContent): string {
  const paragraph = (text: string, style = 'margin:0 0 16px') =>
    `<p style="${style}">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`
  const button = action && [
    `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="${buttonStyle}">${escapeHtml(action.label)}</a></p>`,
    paragraph(action.url, 'margin:0 0 16px;font-size:12px;color:#555;word-break:break-all'),
  ]
  const body = [
    `<h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => paragraph(text)),
    ...(button ?? []),
    ...(code
      ? [paragraph(code, 'margin:24px 0;font-size:28px;letter-spacing:6px;font-family:monospace')]
      : []),
    paragraph(footer, 'margin:0 0 16px;font-size:13px;color:#555'),
    paragraph(productName, 'margin:24px 0 0;font-size:13px;color:#555'),
  ]
  return `<!doctype html>
<html lang="${escapeHtml(culture)}">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px;font-family:Arial,Helvetica,sans-serif;font-size:15px;line-height:1.5;color:#222">
<div style="max-width:560px;margin:0 auto">
${body.join('\n')}
</div>
</body>
</html>
`
}

const buttonStyle =
  'display:inline-block;padding:10px 20px;background:#0b5cad;color:#fff;text-decoration:none;border-radius:4px'

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
