import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createApplication } from '../modularity/application.js'
import { loadConfiguration } from '../modularity/configuration.js'
import { escapeHtml } from '../texts/mail-layout.js'
import type { TextTemplate } from '../texts/text-template.js'
import { type RenderedMail, TextTemplates } from '../texts/text-templates.js'
import { loadRoot } from './root-module.js'

/**
 * Writes every mail and text message of a host in every language, with the examples of their templates, as pages of a folder. What
 * the folder had of an earlier preview goes. Gives the text to print.
 */
export async function writeMailPreview(
  host: string,
  folder: string,
  directory: string,
  argv: readonly string[],
): Promise<string> {
  const { root, file } = await loadRoot(host, directory)
  const configuration = loadConfiguration({ directory: join(dirname(file), '..'), env: process.env, argv })
  const application = createApplication(root, configuration)
  const { localization, settings } = application
  const templates = new TextTemplates(application, localization, settings, configuration)
  templates.check()
  const productName = await templates.productName()
  const target = resolve(directory, folder)
  const { cultures } = localization
  for (const culture of cultures) {
    rmSync(join(target, culture), { recursive: true, force: true })
    mkdirSync(join(target, culture), { recursive: true })
    const cards = [...templates.all.values()].map((template) => {
      const example = templates.example(template, culture, productName)
      if (typeof example !== 'string')
        writeFileSync(join(target, culture, `${template.name}.html`), withPictures(example))
      return cardOf(template, example, culture)
    })
    const page = pageOf(`Mails of ${productName}`, culture, cultures, cards)
    writeFileSync(join(target, `${culture}.html`), page)
    if (culture === cultures[0]) writeFileSync(join(target, 'index.html'), page)
  }
  const { size } = templates.all
  return `${size} templates in ${cultures.length} languages: open ${join(target, 'index.html')}\n`
}

/** The HTML of a mail, with the pictures that it carries inside. */
function withPictures({ html, attachments = [] }: RenderedMail): string {
  return attachments.reduce((page, attachment) => {
    if (!('content' in attachment)) return page
    const data = Buffer.from(attachment.content).toString('base64')
    return page.replaceAll(`cid:${attachment.contentId}`, `data:${attachment.contentType};base64,${data}`)
  }, html)
}

function cardOf({ name, kind }: TextTemplate, example: RenderedMail | string, culture: string): string {
  const text = typeof example === 'string' ? example : example.text
  const title = `<h2 id="${escapeHtml(name)}">${escapeHtml(name)} <small>${kind}</small></h2>`
  if (typeof example === 'string') return `<section>${title}<pre>${escapeHtml(text)}</pre></section>`
  return `<section>${title}<p>${escapeHtml(example.subject)}</p>
<iframe src="${culture}/${encodeURIComponent(name)}.html" title="${escapeHtml(example.subject)}" loading="lazy"></iframe>
<details><summary>Plain text</summary><pre>${escapeHtml(text)}</pre></details></section>`
}

function pageOf(
  title: string,
  culture: string,
  cultures: readonly string[],
  cards: readonly string[],
): string {
  const links = cultures.map((name) =>
    name === culture ? `<strong>${name}</strong>` : `<a href="${name}.html">${name}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} (${culture})</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 1280px; padding: 16px }
nav { display: flex; flex-wrap: wrap; gap: 12px }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 16px; margin-top: 16px }
section { min-width: 0; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent); border-radius: 8px; padding: 12px }
h1 { font-size: 20px } h2 { font-size: 15px; margin: 0; overflow-wrap: anywhere } small { font-weight: normal; opacity: .7 }
iframe { width: 100%; height: 560px; border: 0; color-scheme: light dark }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
</style></head>
<body><h1>${escapeHtml(title)}</h1><nav>${links.join('\n')}</nav>
<main>
${cards.join('\n')}
</main></body></html>
`
}
