import { AccountSecurityLogAppService, AccountSessionAppService } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { EntityNotFoundError, type TextReference } from '@keel/framework/contracts'
import { type Context, Pages } from '../pages.js'
import { loginPath } from '../routes.js'
import { browserText } from '../user-agent.js'
import type { AccountPage, PageRequest } from './account-page.js'
import { BrowserSession, doneIn, goOn } from './browser-session.js'
import { FormFaults } from './form-faults.js'
import { timeText } from './time-text.js'

const sessionsPath = '/Account/Sessions'
const logPath = '/Account/SecurityLogs'
const mostSessions = 100
const logPageSize = 20

/** Where somebody sees where they are signed in, and ends what they do not know. */
@Injectable()
export class SessionsPage implements AccountPage {
  readonly path = sessionsPath
  readonly needsSignIn = true

  constructor(
    private readonly sessions: AccountSessionAppService,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
  ) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    const { ctx, provider } = request
    const account = await this.session.demand(request)
    if (!account) return
    const { items } = await this.session.as(account, () =>
      this.sessions.getList({ skipCount: 0, maxResultCount: mostSessions }),
    )
    const rows = await Promise.all(
      items.map(async ({ id, clientId, device, deviceInfo, ipAddresses, signedIn, lastAccessed }) => {
        const client = clientId ? await provider.Client.find(clientId) : undefined
        return {
          id,
          application: client?.clientName ?? clientId ?? device,
          device: deviceInfo ? browserText(deviceInfo) : device,
          address: ipAddresses[0] ?? '',
          since: timeText(signedIn),
          lastUsed: lastAccessed ? timeText(lastAccessed) : '',
        }
      }),
    )
    const { faults = [], status } = this.faults.because(problem)
    const done = doneIn(ctx, ['Ended'])
    const data = { title: 'Manage:Sessions', isWide: true, section: sessionsPath, faults, rows, done }
    this.pages.show(ctx, 'sessions', data, status)
  }

  async answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    const account = await this.session.demand(request)
    if (!account) return
    if (form.get('action') === 'all') {
      await this.session.as(account, () => this.sessions.revokeAll())
      return goOn(request, loginPath)
    }
    await this.session
      .as(account, () => this.sessions.revoke(form.get('session') ?? ''))
      .catch((error: unknown) => {
        // It has ended by itself meanwhile.
        if (!(error instanceof EntityNotFoundError)) throw error
      })
    goOn(request, sessionsPath, 'Ended')
  }
}

/** Where somebody sees what happened to their account. */
@Injectable()
export class SecurityLogPage implements AccountPage {
  readonly path = logPath
  readonly needsSignIn = true

  constructor(
    private readonly logs: AccountSecurityLogAppService,
    private readonly session: BrowserSession,
    private readonly pages: Pages,
  ) {}

  async show(request: PageRequest): Promise<void> {
    const { ctx } = request
    const account = await this.session.demand(request)
    if (!account) return
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
    const newer = page > 0 ? `${logPath}?page=${page - 1}` : undefined
    const older = (page + 1) * logPageSize < totalCount ? `${logPath}?page=${page + 1}` : undefined
    const data = { title: 'Manage:SecurityLog', isWide: true, section: logPath, rows, newer, older }
    this.pages.show(ctx, 'security-log', data)
  }
}

function pageIn({ query }: Context): number {
  const page = Number(query.page ?? 0)
  return Number.isInteger(page) && page >= 0 && page < 10_000 ? page : 0
}
