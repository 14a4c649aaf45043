import { createHash } from 'node:crypto'
import { Configuration, Injectable } from '@keel/framework'
import { readableOn, textOn, WhiteLabel } from '@keel/framework/texts'
import { readPageFile } from './page-files.js'

/** The backgrounds that the style sheet puts links on. */
const cards = { light: '#ffffff', dark: '#18212b' }

/** Name, logo and colours of the pages, their style sheet, and the script of pages with passkeys. */
@Injectable()
export class Branding {
  readonly name: string
  readonly logoUrl: string | undefined
  readonly style: string
  /** Changes with its content, so that browsers may keep it. */
  readonly stylePath: string
  readonly script: string
  /** As {@link stylePath}. */
  readonly scriptPath: string
  /** Sources of pictures for the content security policy. */
  readonly imageSources: string

  constructor(configuration: Configuration) {
    const { appName, logoUrl, primaryColor, primaryColorDark } = configuration.read(WhiteLabel).whiteLabeling
    this.name = appName
    this.logoUrl = logoUrl
    this.imageSources = ['data:', ...(logoUrl?.startsWith('http') ? [new URL(logoUrl).origin] : [])].join(' ')
    const sheet = readPageFile('style.css')
    this.style = `${sheet}
:root {${accent(primaryColor, cards.light)}}
@media (prefers-color-scheme: dark) {
  :root {${accent(primaryColorDark, cards.dark)}}
}
`
    this.stylePath = `/account.${digestOf(this.style)}.css`
    this.script = readPageFile('passkeys.js')
    this.scriptPath = `/account.${digestOf(this.script)}.js`
  }
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12)
}

function accent(chosen: string, card: string): string {
  const shown = readableOn(card, chosen)
  return ` --accent: ${shown}; --on-accent: ${textOn(shown)}; `
}
