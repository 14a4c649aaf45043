import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ambient, Injectable, Localization } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { Eta } from 'eta'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { SecondFactorState } from './second-factor-step.js'

/** A request as pages see it; `oidc` is only there on oidc-provider's own endpoints. */
export type Context = Omit<KoaContextWithOIDC, 'oidc'>

/** What the login form shows. */
export interface LoginForm {
  /** Where it is posted to. */
  readonly action: string
  readonly token: string
  /** Who the person signs in for; undefined on the server's own behalf. */
  readonly clientName?: string | undefined
  readonly userName: string
  readonly rememberMe: boolean
  readonly error?: TextReference | undefined
  readonly returnUrl?: string | undefined
  /** Whether there is something to go back to. */
  readonly canCancel: boolean
}

/** What the form for the code after the password shows. */
export interface SecondFactorForm extends Omit<LoginForm, 'userName' | 'clientName'> {
  readonly secondFactor: SecondFactorState
}

/** The form for the code that a device shows. */
export interface DeviceForm {
  readonly action: string
  readonly token: string
  readonly userCode: string
}

/** The pages of `pages/` and what each is filled with; `title` and `text` are keys of texts. */
export interface PageData {
  readonly home: { readonly userName?: string | undefined }
  readonly login: LoginForm
  readonly 'second-factor': SecondFactorForm
  readonly 'device-code': DeviceForm & { readonly error?: TextReference | undefined }
  readonly 'device-confirm': DeviceForm & { readonly clientName: string }
  readonly 'sign-out': { readonly form: string }
  readonly message: { readonly title: string; readonly text: string; readonly detail?: string | undefined }
}

const folder = fileURLToPath(new URL('../../pages/', import.meta.url))

/** Renders the pages: in the language of the browser, escaped, without a line of script, and with headers that forbid everything they do not need. */
@Injectable()
export class Pages {
  private readonly eta = new Eta({ views: folder, cache: true })
  private readonly style = readFileSync(`${folder}style.css`, 'utf8')
  // No form-action: it would stop browsers from following the redirect to the client after the form.
  private readonly policy =
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(this.style).digest('base64')}'; img-src data:; base-uri 'none'; frame-ancestors 'none'`

  constructor(private readonly localization: Localization) {}

  show<P extends keyof PageData>(ctx: Context, page: P, data: PageData[P], status = 200): void {
    ctx.status = status
    ctx.type = 'html'
    ctx.set('content-security-policy', this.policy)
    ctx.set('x-content-type-options', 'nosniff')
    ctx.set('x-frame-options', 'DENY')
    ctx.set('referrer-policy', 'no-referrer')
    ctx.set('cache-control', 'no-store')
    const { culture } = ambient()
    const t = (key: string, values?: TextReference['data']) =>
      this.localization.find(key, culture, values) ?? key
    ctx.body = this.eta.render(`./${page}`, { ...data, t, culture, style: this.style })
  }
}
