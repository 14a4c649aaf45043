import { Injectable } from '@keel/framework'
import { Scopes } from '../clients/scopes.js'
import { Pages } from '../pages/pages.js'

/** What a scope lets a client do, in the reader's language. */
export interface ScopeText {
  readonly text: string
  /** Whether the client can do something with it, and does not only learn who somebody is. */
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

/** What an API lets the client do comes first, then that it may do so while the person is away. */
function rankOf(scope: string): number {
  return scope === 'offline_access' ? -1 : personal.includes(scope) ? personal.indexOf(scope) : -2
}
