import { Injectable } from '@keel/framework'
import { Pages } from './pages.js'
import { Scopes } from './scopes.js'

/** Says in the reader's language what scopes let a client do. */
@Injectable()
export class ScopeTexts {
  constructor(
    private readonly scopes: Scopes,
    private readonly pages: Pages,
  ) {}

  /** In our words, else in what an administrator called the scope. */
  async of(scopes: readonly string[]): Promise<string[]> {
    const names = await this.scopes.displayNames(scopes)
    return scopes.map((scope) => {
      const key = `Consent:${scope}`
      const known = this.pages.text(key)
      return known === key ? this.pages.text('Consent:Other', { scope: names.get(scope) ?? scope }) : known
    })
  }
}
