import { Injectable } from '@keel/framework'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { Notices } from '../pages/notices.js'
import { pagePaths } from '../requests/page-paths.js'
import { PasskeyCeremonies } from './passkey-ceremonies.js'

/**
 * Answers the script of the sign-in page with options for the authenticator. The script fetches them at the
 * moment of use, because they count for minutes alone.
 */
@Injectable()
export class PasskeyOptionsPage implements AccountPage {
  readonly path = pagePaths.passkeyOptions

  constructor(
    private readonly ceremonies: PasskeyCeremonies,
    private readonly notices: Notices,
  ) {}

  async show({ ctx }: PageRequest): Promise<void> {
    if (!(await this.ceremonies.areOn())) return this.notices.showNotFound(ctx)
    ctx.set('cache-control', 'no-store')
    ctx.set('x-content-type-options', 'nosniff')
    ctx.body = await this.ceremonies.requestFor(ctx)
  }
}
