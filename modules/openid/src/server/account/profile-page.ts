import {
  AccountAppService,
  AccountErrors,
  loginPagesApp,
  ProfileAppService,
  type ProfileDto,
  ProfilePictureAppService,
  ProfilePictureType,
  profilePictureBytes,
} from '@keel/account/contracts'
import { Injectable, Settings } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import { IdentityErrors, UserSettings } from '@keel/identity/contracts'
import type { BrowserAccount, SignedInPage, SignedInRequest } from '../pages/account-page.js'
import { BrowserSession } from '../pages/browser-session.js'
import { FormFaults, type RefusedForm, wantsProof } from '../pages/form-faults.js'
import { OwnFieldForm } from '../pages/own-field-form.js'
import { Pages } from '../pages/pages.js'
import { TypedForm } from '../pages/typed-form.js'
import { PhoneForm } from '../registration/phone-form.js'
import { TakenNames } from '../registration/taken-names.js'
import type { Context } from '../requests/context.js'
import { pagePaths } from '../requests/page-paths.js'
import { finishedActionIn, redirect } from '../requests/redirect.js'
import { PicturePage, pictureUpload } from './picture-page.js'

const names = ['userName', 'name', 'surname', 'email', 'phoneNumber'] as const
const fields = {
  [IdentityErrors.DuplicateUserName]: 'userName',
  [IdentityErrors.InvalidUserName]: 'userName',
  [IdentityErrors.UserNameChangeDisabled]: 'userName',
  [IdentityErrors.DuplicateEmail]: 'email',
  [IdentityErrors.EmailChangeDisabled]: 'email',
  [AccountErrors.InvalidProfilePicture]: 'picture',
}

/** The profile of the signed-in user. */
@Injectable()
export class ProfilePage implements SignedInPage {
  readonly path = pagePaths.manage
  readonly needsSignIn = true as const
  readonly upload = pictureUpload

  constructor(
    private readonly profiles: ProfileAppService,
    private readonly accounts: AccountAppService,
    private readonly takenNames: TakenNames,
    private readonly picture: PicturePage,
    private readonly pictures: ProfilePictureAppService,
    private readonly session: BrowserSession,
    private readonly settings: Settings,
    private readonly pages: Pages,
    private readonly faults: FormFaults,
    private readonly typed: TypedForm,
    private readonly own: OwnFieldForm,
    private readonly phone: PhoneForm,
  ) {}

  async show(request: SignedInRequest, problem?: TextReference, typed?: URLSearchParams): Promise<void> {
    const { account } = request
    const profile = await this.session.as(account, () => this.profiles.get())
    const stored = this.valuesOf(profile)
    const kept = this.typed.take(request.ctx, this, account)
    const values: Record<string, string> = { ...stored, ...kept, ...(typed && this.givenIn(typed)) }
    const isUnsaved = Object.keys(stored).some((name) => values[name] !== stored[name])
    const shown = { account, profile, values, isUnsaved }
    await this.showForm(request.ctx, shown, this.faults.ofProblem(problem))
  }

  async answer(request: SignedInRequest, form: URLSearchParams, file?: File): Promise<void> {
    const { account } = request
    const action = form.get('action')
    if (action === 'picture' || action === 'no-picture')
      return this.takePicture(request, account, form, action === 'picture' ? (file ?? null) : undefined)
    if (action === 'confirm-phone') {
      await this.keepUnsaved(request, form)
      return redirect(request.ctx, pagePaths.confirmPhone)
    }
    const isMail = action === 'confirm'
    const refused =
      (isMail ? undefined : await this.faultsIn(request, form)) ??
      (await this.faults
        .of(form, fields, () =>
          this.session.as(account, async () => {
            if (isMail) return this.sendConfirmation(account)
            // The button saves all that was filled in: a picture that was chosen, too.
            if (file) await this.setPicture(file)
            return this.save(form)
          }),
        )
        .catch((error: unknown) => {
          // It is there again when they come back.
          if (wantsProof(error)) this.typed.keep(request.ctx, this, account, this.givenIn(form))
          throw error
        }))
    if (!refused) {
      if (isMail) await this.keepUnsaved(request, form)
      return redirect(request.ctx, pagePaths.manage, isMail ? 'ConfirmationSent' : 'Saved')
    }
    const profile = await this.session.as(account, () => this.profiles.get())
    const values = { ...this.own.textsOf(form, profile.extraProperties), ...typedIn(form) }
    await this.showForm(request.ctx, { account, profile, values }, refused)
  }

  /** Keeps what was typed for the next visit, where it differs from the profile: the button does something else than to save it. */
  private async keepUnsaved({ ctx, account }: SignedInRequest, form: URLSearchParams): Promise<void> {
    const stored = this.valuesOf(await this.session.as(account, () => this.profiles.get()))
    // The others may change until the next visit, as the phone number does when another one is confirmed.
    const changed = Object.entries(this.givenIn(form)).filter(([name, value]) => value !== stored[name])
    if (changed.length) this.typed.keep(ctx, this, account, Object.fromEntries(changed))
  }

  /** @param file null for none that was chosen, undefined to remove the picture */
  private async takePicture(
    request: SignedInRequest,
    account: BrowserAccount,
    form: URLSearchParams,
    file: File | null | undefined,
  ): Promise<void> {
    // A form that was read knows of no files: the fault is that of the field all the same.
    form.set(pictureUpload.field, file?.name ?? '')
    const refused =
      (file === null ? this.faults.missing(form, pictureUpload.field) : undefined) ??
      (await this.faults.of(form, fields, () =>
        this.session.as(account, () => this.setPicture(file ?? undefined)),
      ))
    if (!refused) {
      await this.keepUnsaved(request, form)
      return redirect(request.ctx, pagePaths.manage, file ? 'PictureSaved' : 'PictureRemoved')
    }
    const profile = await this.session.as(account, () => this.profiles.get())
    const values = { ...this.valuesOf(profile), ...this.givenIn(form) }
    await this.showForm(request.ctx, { account, profile, values }, refused)
  }

  private async setPicture(file: File | undefined): Promise<void> {
    const { Image, None } = ProfilePictureType
    await this.pictures.setProfilePicture(file ? Image : None, file ? { imageContent: file } : {})
  }

  private async faultsIn(
    { ctx, account }: SignedInRequest,
    form: URLSearchParams,
  ): Promise<RefusedForm | undefined> {
    const names = { userName: form.get('userName') ?? '', email: form.get('email') ?? '' }
    const { email } = await this.session.as(account, () => this.profiles.get())
    const refused = this.faults.combine(
      form,
      this.faults.missing(form, 'userName', 'email'),
      names.email.trim() === email ? undefined : this.faults.addressFault(form, 'email'),
    )
    return this.takenNames.addTo(refused, ctx, { form, fields, names, userId: account.id })
  }

  private async sendConfirmation({ id: userId }: BrowserAccount): Promise<void> {
    await this.accounts.sendEmailConfirmationToken({
      appName: loginPagesApp,
      userId,
      returnUrl: pagePaths.manage,
    })
  }

  private async save(form: URLSearchParams): Promise<void> {
    const [userName = '', name, surname, email = '', phoneNumber] = names.map((field) =>
      form.get(field)?.trim(),
    )
    const concurrencyStamp = form.get('concurrencyStamp')
    const extraProperties = this.own.valuesIn(form)
    await this.profiles.update({
      ...{ userName, name, surname, email, phoneNumber },
      ...{ extraProperties, concurrencyStamp },
    })
  }

  private async showForm(
    ctx: Context,
    { account, profile, values, isUnsaved = false }: ShownProfile,
    { faults, status }: Partial<RefusedForm> = {},
  ): Promise<void> {
    const hasPicture = (await this.picture.of(account)) !== undefined
    const data = {
      title: 'Manage:Title',
      section: pagePaths.manage,
      faults: faults ?? [],
      values,
      ownFields: this.own.ofProfile(),
      isUnsaved,
      done: finishedActionIn(ctx, [
        'Saved',
        'ConfirmationSent',
        'PictureSaved',
        'PictureRemoved',
        'PhoneConfirmed',
      ]),
      isConfirmed: profile.emailConfirmed,
      // The one that the mail goes to: another may be typed and not saved.
      storedEmail: profile.email,
      // Without a number, there is no state to show.
      phoneState: profile.phoneNumber && (profile.phoneNumberConfirmed ? 'Confirmed' : 'NotConfirmed'),
      mayConfirmPhone: !profile.phoneNumberConfirmed && (await this.phone.isOffered()),
      pictureMegabytes: profilePictureBytes / 1024 / 1024,
      picture: hasPicture ? pagePaths.picture : undefined,
      pictureSource: hasPicture ? `${ctx.protocol}://${ctx.host}${pagePaths.picture}` : undefined,
      concurrencyStamp: profile.concurrencyStamp,
      isUserNameFixed: !(await this.settings.isOn(UserSettings.IsUserNameUpdateEnabled)),
      isEmailFixed: !(await this.settings.isOn(UserSettings.IsEmailUpdateEnabled)),
    }
    this.pages.show(ctx, 'profile', data, status)
  }

  private valuesOf(profile: ProfileDto): Record<string, string> {
    const stored = Object.fromEntries(names.map((name) => [name, profile[name] ?? '']))
    return { ...stored, ...this.own.textsOf(undefined, profile.extraProperties) }
  }

  /** The inputs that a form has, as they were typed. */
  private givenIn(form: URLSearchParams): Record<string, string> {
    return Object.fromEntries(
      [...names, ...this.own.ofProfile().map(({ name }) => name)].flatMap((name) => {
        const typed = form.get(name)
        return typed === null ? [] : [[name, typed]]
      }),
    )
  }
}

interface ShownProfile {
  readonly account: BrowserAccount
  readonly profile: ProfileDto
  /** Of the fields, as they were typed. */
  readonly values: Readonly<Record<string, string>>
  /** They were typed before another page was visited or a mail was asked for, and wait to be saved. */
  readonly isUnsaved?: boolean
}

function typedIn(form: URLSearchParams): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, form.get(name) ?? '']))
}
