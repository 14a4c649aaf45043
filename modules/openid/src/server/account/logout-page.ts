import { Injectable } from '@keel/framework'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { routes } from '../requests/routes.js'

/** ABP's address to sign out at. */
@Injectable()
export class LogoutPage implements AccountPage {
  readonly path = '/Account/Logout'

  async show({ ctx }: PageRequest): Promise<void> {
    ctx.redirect(routes.end_session)
  }
}
