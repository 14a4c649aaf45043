import { Injectable } from '@keel/framework'
import { Scopes } from '../clients/scopes.js'
import { Pages } from '../pages/pages.js'

/** The text for a scope in the reader's language: what it lets a client do. */
export interface ScopeText {
  readonly text: string
  /** True for a scope with which a client can do something, and not only learn who the person is. */
  readonly isGrave: boolean
}

/** Scopes that only tell of the person, the most personal first. All others come before them. */
const personal = ['roles', 'address', 'phone', 'email', 'profile', 'openid']

/** Says in the reader's language what scopes let a client do. */
@Injectable()
export class ScopeTexts {
  constructor(
    private readonly scopes: Scopes,
    private readonly pages: Pages,
  ) {}

  /** In our words, else in what an administrator called the scope; the gravest first. */
  async of(scopes: readonly string[]): Promise<ScopeText[]> {
    const names = await this.scopes.displayNames(scopes)
    const sorted = [...scopes].sort((a, b) => rankOf(a) - rankOf(b))
    return sorted.map((scope) => {
      const key = `Consent:${scope}`
      const known = this.pages.text(key)
      const text =
        known === key ? this.pages.text('Consent:Other', { scope: names.get(scope) ?? scope }) : known
      return { text, isGrave: !personal.includes(scope) }
    })
  }
}

/** Scopes of the API come first, then the scope that counts while the person is away. */
function rankOf(scope: string): number {
  return scope === 'offline_access' ? -1 : personal.includes(scope) ? personal.indexOf(scope) : -2
}
