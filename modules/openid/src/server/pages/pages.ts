import { ambient, Injectable, Localization } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { Eta } from 'eta'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { localPath } from '../requests/return-url.js'
import { Antiforgery } from './antiforgery.js'
import { Branding } from './branding.js'
import { pageFolder, templates } from './page-files.js'

/** A fault of a form in the reader's language: of one of its fields, or of the whole form. */
export interface FormFault {
  readonly field?: string | undefined
  readonly text: string
  /** Codes of the password's rules that are not kept, for the list of rules at its field. */
  readonly broken?: readonly string[]
}

/** The data of a page, whose name is that of its template. `title` is the key of a text. */
export interface PageData {
  readonly title: string
  /** The values for the title's `{placeholders}`. */
  readonly titleData?: TextReference['data']
  /** Told at the top of the page, each with the name of its field and a link to it. */
  readonly faults?: readonly FormFault[]
  /** Path of the account page that it belongs to: the menu of the account stands beside it. */
  readonly section?: string
  /** The address of a picture of this page alone, for the content security policy, without query. */
  readonly pictureSource?: string | undefined
  /** True for pages with the script of passkeys. No other script runs anywhere. */
  readonly script?: boolean
  readonly [name: string]: unknown
}

/** The state that the router leaves at a request for its page. */
export interface PageState {
  /** The name of the signed-in user, on their pages. */
  signedInAs?: string
  /** True when the menu of the account leads to passkeys. */
  hasPasskeys?: boolean
}

/**
 * Renders the pages: in the language of the browser, escaped, without a line of script but that of passkeys,
 * and with headers that forbid everything they do not need.
 */
@Injectable()
export class Pages {
  private readonly eta = new Eta({ views: pageFolder, cache: true })

  constructor(
    private readonly localization: Localization,
    private readonly branding: Branding,
    private readonly antiforgery: Antiforgery,
  ) {}

  /** Answers with a page; `page` is the name of a template in `pages/`. */
  show(ctx: Context, page: string, data: PageData, status = 200): void {
    if (!templates.has(page)) throw new Error(`There is no template ${page}.eta in pages/`)
    ctx.status = status
    ctx.type = 'html'
    ctx.set('content-security-policy', this.policyFor(ctx, data))
    ctx.set('x-content-type-options', 'nosniff')
    ctx.set('x-frame-options', 'DENY')
    ctx.set('referrer-policy', 'no-referrer')
    ctx.set('cache-control', 'no-store')
    const { culture, correlationId } = ambient()
    ctx.body = this.eta.render(`./${page}`, {
      faults: [],
      values: {},
      // Each field adds its own: the layout, which is rendered after them, names fields of faults by these.
      labels: new Map<string, string>(),
      ...data,
      t: (key: string, values?: TextReference['data']) => this.text(key, values),
      token: () => this.antiforgery.tokenFor(ctx),
      culture,
      correlationId,
      brand: this.branding,
      signedInAs: (ctx.state as PageState).signedInAs,
      hasPasskeys: (ctx.state as PageState).hasPasskeys,
      here: addressOf(ctx),
      languages: this.languages(ctx),
    })
  }

  private policyFor({ protocol, host }: Context, { pictureSource, script }: PageData): string {
    const pictures = [this.branding.imageSources, ...(pictureSource ? [pictureSource] : [])].join(' ')
    // The two addresses alone, not all of this server.
    const here = `${protocol}://${host}`
    const scripts = script
      ? ` script-src ${here}${this.branding.scriptPath}; connect-src ${here}${pagePaths.passkeyOptions};`
      : ''
    // No form-action: it would stop browsers from following the redirect to the client after the form.
    return `default-src 'none';${scripts} style-src 'self'; img-src ${pictures}; base-uri 'none'; frame-ancestors 'none'`
  }

  /** A text in the language of the request; texts may speak of `{productName}`. */
  text(key: string, data?: TextReference['data']): string {
    const values = { productName: this.branding.name, ...data }
    return this.localization.find(key, ambient().culture, values) ?? key
  }

  /** The languages there are, each with the address of this page in it. */
  private languages(ctx: Context): { cultureName: string; displayName: string; address: string }[] {
    return this.localization.languages.map(({ cultureName, displayName }) => {
      const address = addressOf(ctx, { culture: cultureName, 'ui-culture': cultureName })
      return { cultureName, displayName, address }
    })
  }
}

/** The page's own address, without what chose its language. A path with two slashes would be another site as a link. */
function addressOf({ path: asked, querystring }: Context, more: Record<string, string> = {}): string {
  const path = localPath(asked)
  const query = new URLSearchParams(querystring)
  for (const name of ['culture', 'ui-culture']) query.delete(name)
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  return query.size ? `${path}?${query}` : path
}
