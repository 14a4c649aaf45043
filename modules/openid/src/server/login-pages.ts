import { Injectable } from '@keel/framework'
import { type TextReference, UnavailableError } from '@keel/framework/contracts'
import { SignIn, type SignInResult } from '@keel/identity/contracts'
import type { Interaction, Provider } from 'oidc-provider'
import { Antiforgery } from './antiforgery.js'
import { loginPath, routes, sessionSeconds } from './configuration.js'
import { readForm } from './forms.js'
import { type Context, Pages } from './pages.js'
import { type SecondFactorAnswer, SecondFactorStep, type StepOutcome } from './second-factor-step.js'

type Next = () => Promise<unknown>

/** What was posted with the login form, or with the one for the code after it. */
interface Attempt {
  readonly userName: string
  readonly password: string
  readonly rememberMe: boolean
  readonly isCancelled: boolean
  readonly isGenuine: boolean
  readonly returnUrl: string | undefined
  /** Undefined while it is about the password. */
  readonly secondFactor: SecondFactorAnswer | undefined
}

/** The pages where people sign in: for a client that waits, and on the server's own behalf. */
@Injectable()
export class LoginPages {
  constructor(
    private readonly signIn: SignIn,
    private readonly secondFactor: SecondFactorStep,
    private readonly pages: Pages,
    private readonly antiforgery: Antiforgery,
  ) {}

  /** Answers the paths of the pages; everything else goes on to oidc-provider. */
  handlerFor(provider: Provider): (ctx: Context, next: Next) => Promise<unknown> {
    return async (ctx, next) => {
      const method = ctx.method === 'HEAD' ? 'GET' : ctx.method
      const path = ctx.path.length > 1 ? ctx.path.replace(/\/$/, '') : ctx.path
      const uid = path.startsWith(`${loginPath}/`) ? path.slice(loginPath.length + 1) : undefined
      if (path === '/' && method === 'GET') return this.showHome(ctx, provider)
      if (uid && method === 'GET') return this.showInteraction(ctx, provider, uid)
      if (uid && method === 'POST') return this.answerInteraction(ctx, provider, uid)
      if (path === loginPath && method === 'GET') return this.showLogin(ctx)
      if (path === loginPath && method === 'POST') return this.answerLogin(ctx, provider)
      if (path === '/Account/Logout' && method === 'GET') return ctx.redirect(routes.end_session)
      return next()
    }
  }

  private async showHome(ctx: Context, provider: Provider): Promise<void> {
    const { accountId } = await provider.Session.get(ctx as never)
    const account = accountId ? await this.signIn.find(accountId) : undefined
    this.pages.show(ctx, 'home', { userName: account?.userName })
  }

  private async showInteraction(ctx: Context, provider: Provider, uid: string): Promise<void> {
    const interaction = await this.interactionOf(ctx, provider, uid)
    if (!interaction) return this.showExpired(ctx)
    // Our clients need no consent: whoever asks for the prompt has it answered at once.
    if (interaction.prompt.name === 'consent') return finish(ctx, provider, { consent: {} })
    const hint = interaction.params.login_hint
    await this.showForm(ctx, provider, { interaction, userName: typeof hint === 'string' ? hint : '' })
  }

  private async answerInteraction(ctx: Context, provider: Provider, uid: string): Promise<void> {
    const interaction = await this.interactionOf(ctx, provider, uid)
    if (!interaction) return this.showExpired(ctx)
    const attempt = await this.readAttempt(ctx)
    if (attempt.isGenuine && attempt.isCancelled) {
      return finish(ctx, provider, {
        error: 'access_denied',
        error_description: 'The person cancelled the sign-in',
      })
    }
    const outcome = await this.judge(attempt)
    if (!('account' in outcome)) return this.showStep(ctx, provider, { interaction, attempt, outcome })
    const { name } = interaction.prompt
    const login = { accountId: outcome.account.id, remember: attempt.rememberMe, amr: [...outcome.amr] }
    await finish(ctx, provider, { login, ...(name !== 'login' && { [name]: {} }) })
  }

  private async showLogin(ctx: Context): Promise<void> {
    const { ReturnUrl: asked, returnUrl = asked } = ctx.query
    await this.showForm(ctx, undefined, { userName: '', returnUrl: String(returnUrl ?? '') })
  }

  private async answerLogin(ctx: Context, provider: Provider): Promise<void> {
    const attempt = await this.readAttempt(ctx)
    const outcome = await this.judge(attempt)
    if (!('account' in outcome)) return this.showStep(ctx, undefined, { attempt, outcome })
    await startSession(ctx, provider, outcome, attempt.rememberMe)
    ctx.status = 303
    ctx.redirect(localPath(attempt.returnUrl))
  }

  /** The sign-in under way, if it belongs to this browser and to this page. */
  private async interactionOf(
    ctx: Context,
    provider: Provider,
    uid: string,
  ): Promise<Interaction | undefined> {
    const interaction = await provider.interactionDetails(ctx.req, ctx.res).catch(() => undefined)
    return interaction?.uid === uid ? interaction : undefined
  }

  private async readAttempt(ctx: Context): Promise<Attempt> {
    const form = await readForm(ctx.req)
    return {
      userName: (form.get('userName') ?? '').trim().slice(0, 256),
      password: form.get('password') ?? '',
      rememberMe: form.get('rememberMe') !== null,
      isCancelled: form.get('action') === 'cancel',
      isGenuine: this.antiforgery.isValid(ctx, form.get('token')),
      returnUrl: form.get('returnUrl') ?? undefined,
      secondFactor: secondFactorIn(form),
    }
  }

  private async judge({ isGenuine, userName, password, secondFactor }: Attempt): Promise<StepOutcome> {
    if (!isGenuine) return { error: { key: 'SignIn:PageTooOld' }, status: 400 }
    if (secondFactor) return this.secondFactor.answer(secondFactor)
    if (!userName || !password) return { error: { key: 'SignIn:NothingEntered' }, status: 400 }
    try {
      const result = await this.signIn.check(userName, password)
      return result.outcome === 'signed-in'
        ? await this.secondFactor.afterPassword(result.account)
        : describe(result)
    } catch (error) {
      if (error instanceof UnavailableError)
        return { error: error.text ?? { key: error.message }, status: 503 }
      throw error
    }
  }

  /** The page that a step which did not sign in ends on: the form for the code, or the one for the password. */
  private async showStep(
    ctx: Context,
    provider: Provider | undefined,
    { interaction, attempt, outcome }: { interaction?: Interaction; attempt: Attempt; outcome: Unfinished },
  ): Promise<void> {
    if (!('secondFactor' in outcome))
      return this.showForm(ctx, provider, { ...(interaction && { interaction }), ...attempt, ...outcome })
    const { rememberMe, returnUrl } = attempt
    const form = {
      action: interaction ? `${loginPath}/${interaction.uid}` : loginPath,
      token: this.antiforgery.tokenFor(ctx),
      secondFactor: outcome.secondFactor,
      rememberMe,
      error: outcome.error,
      returnUrl,
      canCancel: interaction !== undefined,
    }
    this.pages.show(ctx, 'second-factor', form, outcome.status)
  }

  private async showForm(
    ctx: Context,
    provider: Provider | undefined,
    shown: {
      interaction?: Interaction
      userName: string
      rememberMe?: boolean
      error?: TextReference
      status?: number
      returnUrl?: string | undefined
    },
  ): Promise<void> {
    const { interaction, userName, rememberMe = false, error, status, returnUrl } = shown
    const client = interaction && (await provider?.Client.find(String(interaction.params.client_id)))
    const form = {
      action: interaction ? `${loginPath}/${interaction.uid}` : loginPath,
      token: this.antiforgery.tokenFor(ctx),
      clientName: client?.clientName,
      userName,
      rememberMe,
      error,
      returnUrl,
      canCancel: interaction !== undefined,
    }
    this.pages.show(ctx, 'login', form, status)
  }

  private showExpired(ctx: Context): void {
    this.pages.show(ctx, 'message', { title: 'SignIn:StartAgain', text: 'SignIn:Expired' }, 400)
  }
}

type Unfinished = Exclude<StepOutcome, { readonly account: unknown }>

function secondFactorIn(form: URLSearchParams): SecondFactorAnswer | undefined {
  const token = form.get('secondFactorToken')
  if (token === null) return undefined
  return {
    userId: form.get('userId') ?? '',
    token: token.slice(0, 512),
    provider: form.get('provider') ?? '',
    code: (form.get('code') ?? '').slice(0, 32),
    wantsMail: form.get('action') === 'mail',
  }
}

function describe(result: Exclude<SignInResult, { outcome: 'signed-in' }>): {
  error: TextReference
  status: number
} {
  switch (result.outcome) {
    case 'wrong-credentials':
      return { error: { key: 'SignIn:WrongCredentials' }, status: 400 }
    case 'inactive':
      return { error: { key: 'SignIn:Inactive' }, status: 400 }
    case 'locked-out': {
      const minutes = Math.max(1, Math.ceil((result.until.getTime() - Date.now()) / 60_000))
      const key = minutes === 1 ? 'SignIn:LockedOutForAMinute' : 'SignIn:LockedOut'
      return { error: { key, data: { minutes } }, status: 400 }
    }
  }
}

async function finish(
  ctx: Context,
  provider: Provider,
  result: Parameters<Provider['interactionResult']>[2],
): Promise<void> {
  const returnTo = await provider.interactionResult(ctx.req, ctx.res, result, {
    mergeWithLastSubmission: true,
  })
  ctx.status = 303
  ctx.redirect(returnTo)
}

/** Signs the browser in without any client: the next client that asks finds it signed in. */
async function startSession(
  ctx: Context,
  provider: Provider,
  { account: { id: accountId }, amr }: Extract<StepOutcome, { readonly account: unknown }>,
  rememberMe: boolean,
): Promise<void> {
  const session = await provider.Session.get(ctx as never)
  // A new name for the session, so that one that somebody else planted in the browser is worth nothing.
  session.resetIdentifier()
  if (session.accountId !== accountId) delete session.authorizations
  session.loginAccount({ accountId, amr: [...amr], transient: !rememberMe })
  await session.save(sessionSeconds)
  const expires = rememberMe ? { expires: new Date(Date.now() + sessionSeconds * 1000) } : {}
  ctx.cookies.set(provider.cookieName('session'), session.jti, {
    signed: true,
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    ...expires,
  })
}

/** A path on this server, whatever was asked for: no redirect leads away from here. */
export function localPath(asked: string | undefined): string {
  if (!asked?.startsWith('/') || !URL.canParse(asked, 'http://here')) return '/'
  const { origin, pathname, search } = new URL(asked, 'http://here')
  return origin === 'http://here' ? pathname + search : '/'
}
