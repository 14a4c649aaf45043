import { Injectable } from '@keel/framework'
import { routes } from '../requests/routes.js'
import type { AccountPage, PageRequest } from '../pages/account-page.js'

/** ABP's address to sign out at. */
@Injectable()
export class LogoutPage implements AccountPage {
  readonly path = '/Account/Logout'

  async show({ ctx }: PageRequest): Promise<void> {
    ctx.redirect(routes.end_session)
  }
}
