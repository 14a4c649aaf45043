import { AccountSecurityLogAppService, AccountSessionAppService, OwnSessions } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { EntityNotFoundError, type TextReference } from '@keel/framework/contracts'
import {
  type BegunBrowser,
  BrowserSessions,
  browserText,
  type IdentitySessionDto,
} from '@keel/identity/contracts'
import type { SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults } from '../pages/form-faults.js'
import { Pages } from '../pages/pages.js'
import { timeText } from '../pages/time-text.js'
import type { Context } from '../requests/context.js'
import { finishedActionIn, redirect } from '../requests/redirect.js'

const sessionsPath = '/Account/Sessions'
const logPath = '/Account/SecurityLogs'
const sessionsPageSize = 10
const logPageSize = 20

/** Lists the sessions of the signed-in user, and ends those that they do not know. */
@Injectable()
export class SessionsPage implements SignedInPage {
  readonly path = sessionsPath
  readonly needsSignIn = true as const

  constructor(
    private readonly sessions: AccountSessionAppService,
    private readonly own: OwnSessions,
    private readonly browsers: BrowserSessions,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
  ) {}

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    const { ctx } = request
    const { account } = request
    const page = pageIn(ctx)
    const [{ items, totalCount }, browser] = await Promise.all([
      this.session.as(account, () =>
        this.sessions.getList({ skipCount: page * sessionsPageSize, maxResultCount: sessionsPageSize }),
      ),
      this.session.browserOf(request),
    ])
    const otherBrowsers = await this.browsers.countOthers(account.id, browser.uid)
    const rows = await Promise.all(items.map((item) => this.rowOf(request, item, browser)))
    const { faults = [], status } = this.faults.ofProblem(problem)
    const data = {
      title: 'Manage:Sessions',
      section: sessionsPath,
      faults,
      rows,
      done: finishedActionIn(ctx, ['Ended', 'OthersEnded']),
      // A browser that let no application in yet has no row.
      otherBrowsers,
      // Sessions of other browsers are on this page, or on the others.
      hasOthers: rows.some(({ isHere }) => !isHere) || totalCount > rows.length || otherBrowsers > 0,
      ...neighbours(sessionsPath, { page, size: sessionsPageSize, totalCount }),
    }
    this.pages.show(ctx, 'sessions', data, status)
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    if (form.get('action') === 'others') {
      const browser = await this.session.browserOf(request)
      await this.session.as(account, () => this.own.endOthers(browser))
      return redirect(request.ctx, sessionsPath, 'OthersEnded')
    }
    await this.session
      .as(account, () => this.sessions.revoke(form.get('session') ?? ''))
      .catch((error: unknown) => {
        // It has ended by itself meanwhile.
        if (!(error instanceof EntityNotFoundError)) throw error
      })
    redirect(request.ctx, sessionsPath, 'Ended')
  }

  private async rowOf({ provider }: SignedInRequest, session: IdentitySessionDto, browser: BegunBrowser) {
    const { id, clientId, device, deviceInfo, ipAddresses, signedIn, lastAccessed } = session
    const client = clientId ? await provider.Client.find(clientId) : undefined
    return {
      id,
      isHere: browser.sessionIds.includes(session.sessionId),
      application: client?.clientName ?? clientId ?? device,
      device: deviceInfo ? browserText(deviceInfo) : device,
      address: ipAddresses[0] ?? '',
      since: timeText(signedIn),
      lastUsed: lastAccessed ? timeText(lastAccessed) : '',
    }
  }
}

/** The security log of the signed-in user. */
@Injectable()
export class SecurityLogPage implements SignedInPage {
  readonly path = logPath
  readonly needsSignIn = true as const

  constructor(
    private readonly logs: AccountSecurityLogAppService,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
  ) {}

  async show(request: SignedInRequest): Promise<void> {
    const { ctx } = request
    const { account } = request
    const page = pageIn(ctx)
    const { items, totalCount } = await this.session.as(account, () =>
      this.logs.getList({ skipCount: page * logPageSize, maxResultCount: logPageSize }),
    )
    const rows = items.map(({ creationTime, action, clientIpAddress, browserInfo }) => ({
      time: timeText(creationTime),
      event: this.pages.text(`SecurityLog:${action}`),
      address: clientIpAddress ?? '',
      browser: browserText(browserInfo ?? ''),
    }))
    const data = {
      title: 'Manage:SecurityLog',
      section: logPath,
      rows,
      ...neighbours(logPath, { page, size: logPageSize, totalCount }),
    }
    this.pages.show(ctx, 'security-log', data)
  }
}

/** The addresses of the pages before and after one of a list, as far as there are any. */
function neighbours(
  path: string,
  { page, size, totalCount }: { page: number; size: number; totalCount: number },
): { newer: string | undefined; older: string | undefined } {
  return {
    newer: page > 0 ? `${path}?page=${page - 1}` : undefined,
    older: (page + 1) * size < totalCount ? `${path}?page=${page + 1}` : undefined,
  }
}

function pageIn({ query }: Context): number {
  const page = Number(query.page ?? 0)
  return Number.isInteger(page) && page >= 0 && page < 10_000 ? page : 0
}
