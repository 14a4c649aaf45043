import { Injectable } from '@keel/framework'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { Pages } from '../pages/pages.js'

/** The start page of the server: the signed-in user, and links. */
@Injectable()
export class HomePage implements AccountPage {
  readonly path = '/'

  constructor(
    private readonly pages: Pages,
    private readonly session: BrowserSession,
  ) {}

  async show(request: PageRequest): Promise<void> {
    const account = await this.session.accountOf(request)
    this.pages.show(request.ctx, 'home', { title: 'SignIn:Service', userName: account?.userName })
  }
}
