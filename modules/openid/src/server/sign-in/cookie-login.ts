import { AbpLoginResult, AccountErrors, LoginResultType, UserLoginInfo } from '@keel/account/contracts'
import { ambient, compileInputCheck, Injectable, Localization, Logger } from '@keel/framework'
import { BusinessError, ForbiddenError, ValidationError } from '@keel/framework/contracts'
import { envelopeOf, logFailedRequest, statusOf, UnsupportedMediaTypeError } from '@keel/framework/http'
import { SecurityActions, SecurityEvents } from '@keel/identity/contracts'
import type { Provider } from 'oidc-provider'
import { BrowserSession } from '../pages/browser-session.js'
import type { Context } from '../requests/context.js'
import { readJson } from '../requests/forms.js'
import { originOf } from '../requests/request-origin.js'
import { browserTokenOf } from './remembered-browser.js'
import { SignInSteps } from './sign-in-steps.js'
import type { StepOutcome } from './step-outcome.js'

/**
 * ABP's sign-in by cookie, `/api/account/login` and `/api/account/logout`, for pages of the server's own
 * origin: what they get is what the login page gives. Other origins can neither send the JSON nor the cookie.
 */
@Injectable()
export class CookieLogin {
  constructor(
    private readonly steps: SignInSteps,
    private readonly session: BrowserSession,
    private readonly events: SecurityEvents,
    private readonly localization: Localization,
    private readonly logger: Logger,
  ) {}

  handlerFor(provider: Provider): (ctx: Context, next: () => Promise<unknown>) => Promise<unknown> {
    return async (ctx, next) => {
      const isLogin = ctx.path === '/api/account/login' && ctx.method === 'POST'
      const isLogout = ctx.path === '/api/account/logout' && ctx.method === 'GET'
      if (!isLogin && !isLogout) return next()
      ctx.set('cache-control', 'no-store')
      try {
        // Browsers say where a request comes from; a page elsewhere must sign nobody in or out.
        if (['cross-site', 'same-site'].includes(ctx.get('sec-fetch-site'))) throw new ForbiddenError()
        if (isLogin) await this.signIn(ctx, provider)
        else await this.signOut(ctx, provider)
      } catch (error) {
        this.tell(ctx, error)
      }
    }
  }

  private async signIn(ctx: Context, provider: Provider): Promise<void> {
    if (!(await this.steps.isLocal())) throw new BusinessError(AccountErrors.LocalLoginDisabled)
    const { userNameOrEmailAddress: userName, password, rememberMe } = await inputOf(ctx)
    const browserTokenFor = (userId: string) => browserTokenOf(ctx, userId)
    const outcome = await this.steps.takePassword({ userName, password, browserTokenFor })
    if ('account' in outcome) await this.session.start({ ctx, provider }, { ...outcome, rememberMe })
    const description = resultOf(outcome)
    ctx.body = new AbpLoginResult({ result: LoginResultType[description], description })
  }

  private async signOut(ctx: Context, provider: Provider): Promise<void> {
    const account = await this.session.accountOf({ ctx, provider })
    await this.session.end({ ctx, provider })
    ctx.status = 204
    if (!account) return
    const { id: userId, userName } = account
    await this.events.write({ action: SecurityActions.Logout, userId, userName, origin: originOf(ctx) })
  }

  /** As the API tells errors. */
  private tell(ctx: Context, error: unknown): void {
    ctx.status = statusOf(error)
    if (ctx.status >= 500) logFailedRequest(this.logger, error, { path: ctx.path })
    const { retryAfterSeconds } = error as { retryAfterSeconds?: number }
    if (retryAfterSeconds) ctx.set('retry-after', String(retryAfterSeconds))
    ctx.set('_AbpErrorFormat', 'true')
    const { culture } = ambient()
    ctx.body = envelopeOf(error, { culture, localization: this.localization, verbose: false })
  }
}

const checkInput = compileInputCheck(UserLoginInfo)

async function inputOf(ctx: Context) {
  if (!ctx.is('application/json'))
    throw UnsupportedMediaTypeError.expecting('application/json', ctx.get('content-type') || undefined)
  const { value, faults } = checkInput(await readJson(ctx.req))
  if (faults.length) throw new ValidationError(faults)
  return value as UserLoginInfo
}

function resultOf(outcome: StepOutcome): keyof typeof LoginResultType {
  if ('account' in outcome) return 'Success'
  if ('secondFactor' in outcome) return 'RequiresTwoFactor'
  if ('lockedOutUntil' in outcome) return 'LockedOut'
  if ('renewal' in outcome || 'confirmation' in outcome) return 'NotAllowed'
  return outcome.error.key === 'SignIn:WrongCredentials' ? 'InvalidUserNameOrPassword' : 'NotAllowed'
}
