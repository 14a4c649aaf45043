import { AccountErrors, Passkeys, passkeyNameLength } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { BusinessError, EntityNotFoundError, type TextReference } from '@keel/framework/contracts'
import type { BrowserAccount, SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults, type RefusedForm } from '../pages/form-faults.js'
import { Pages } from '../pages/pages.js'
import { timeText } from '../pages/time-text.js'
import { pagePaths } from '../requests/page-paths.js'
import { finishedActionIn, redirect } from '../requests/redirect.js'
import { PasskeyCeremonies } from './passkey-ceremonies.js'

@Injectable()
class PasskeyPages {
  readonly needsSignIn = true as const

  constructor(
    protected readonly passkeys: Passkeys,
    protected readonly ceremonies: PasskeyCeremonies,
    protected readonly session: BrowserSession,
    protected readonly pages: Pages,
    protected readonly faults: FormFaults,
  ) {}
}

/** Lists, renames and removes the passkeys of a user who is signed in. */
@Injectable()
export class PasskeysPage extends PasskeyPages implements SignedInPage {
  readonly path = pagePaths.passkeys

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    await this.showList(request, request.account, this.faults.ofProblem(problem))
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    const id = form.get('credential') ?? ''
    const isRemoval = form.get('action') === 'remove'
    const name = nameIn(form)
    const work = () =>
      this.session.as(account, () => (isRemoval ? this.passkeys.remove(id) : this.passkeys.rename(id, name)))
    const refused =
      (isRemoval ? undefined : this.faults.missing(form, 'name')) ??
      (await this.faults.of(form, {}, () =>
        work().catch((error: unknown) => {
          // It was removed meanwhile, on another page.
          if (!(error instanceof EntityNotFoundError)) throw error
        }),
      ))
    if (refused) return this.showList(request, account, refused)
    redirect(request.ctx, pagePaths.passkeys, isRemoval ? 'Removed' : 'Renamed')
  }

  private async showList(
    { ctx }: SignedInRequest,
    account: BrowserAccount,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const passkeys = await this.session.as(account, () => this.passkeys.list())
    const rows = passkeys.map(({ credentialId, name, createdAt, lastUsedAt }) => ({
      id: credentialId,
      name: name ?? this.pages.text('Passkeys:Unnamed'),
      added: timeText(createdAt),
      lastUsed: lastUsedAt ? timeText(lastUsedAt) : this.pages.text('Passkeys:Never'),
    }))
    const isForCaller = await this.session.as(account, () => this.passkeys.areForCaller())
    const lead = !isForCaller ? 'External' : (await this.ceremonies.areOn()) ? 'Help' : 'Off'
    const data = {
      title: 'Passkeys:Title',
      section: pagePaths.passkeys,
      faults: faults ?? [],
      rows,
      done: finishedActionIn(ctx, ['Made', 'Renamed', 'Removed']),
      nameLength: passkeyNameLength,
      lead,
      canAdd: lead === 'Help',
    }
    this.pages.show(ctx, 'passkeys', data, status)
  }
}

/** Adds a passkey. A browser without script or without passkeys gets a text that says so. */
@Injectable()
export class PasskeySetupPage extends PasskeyPages implements SignedInPage {
  readonly path = pagePaths.passkeySetup

  async show(request: SignedInRequest, problem?: TextReference): Promise<void> {
    await this.showForm(request, request.account, '', this.faults.ofProblem(problem))
  }

  async answer(request: SignedInRequest, form: URLSearchParams): Promise<void> {
    const { account } = request
    const name = nameIn(form)
    const answer = { name, state: form.get('passkeyState') ?? '', answer: form.get('passkey') ?? '' }
    const refused =
      this.faults.missing(form, 'name') ??
      (await this.faults.of(form, {}, async () => {
        const passkey = await this.ceremonies.verifyRegistration(request.ctx, account, answer)
        await this.session.as(account, () => this.passkeys.add(passkey))
      }))
    if (refused) return this.showForm(request, account, name, refused)
    redirect(request.ctx, pagePaths.passkeys, 'Made')
  }

  private async showForm(
    request: SignedInRequest,
    account: BrowserAccount,
    name: string,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const { ctx } = request
    const isForCaller = await this.session.as(account, () => this.passkeys.areForCaller())
    if (!isForCaller || !(await this.ceremonies.areOn())) return redirect(request.ctx, pagePaths.passkeys)
    const known = await this.session.as(account, () => this.passkeys.list())
    // The check comes before a passkey is made that would be refused. Users without a recent proof are sent
    // to give one.
    const full = await this.session.as(account, () => this.passkeys.demandRoom()).catch(tooMany)
    const asked = full ? undefined : await this.ceremonies.creationFor(ctx, account, known)
    const data = {
      title: 'Passkeys:SetUp',
      section: pagePaths.passkeys,
      faults: full ? [{ text: this.pages.text(full.code ?? '', full.data) }] : (faults ?? []),
      values: { name },
      nameLength: passkeyNameLength,
      asked: asked && { ...asked, options: JSON.stringify(asked.options) },
      script: true,
    }
    this.pages.show(ctx, 'passkey-setup', data, full ? 400 : status)
  }
}

function nameIn(form: URLSearchParams): string {
  return (form.get('name') ?? '').trim().slice(0, passkeyNameLength)
}

/** The refusal of one passkey too many; other errors are thrown on. */
function tooMany(error: unknown): BusinessError {
  if (error instanceof BusinessError && error.code === AccountErrors.TooManyPasskeys) return error
  throw error
}
