import { AccountErrors } from '@keel/account/contracts'
import { ambient, Injectable } from '@keel/framework'
import {
  BusinessError,
  isMailAddress,
  KeelError,
  type TextReference,
  TooManyRequestsError,
  UnavailableError,
  UserFriendlyError,
  ValidationError,
} from '@keel/framework/contracts'
import { IdentityErrors, Passwords } from '@keel/identity/contracts'
import { type FormFault, Pages } from './pages.js'

/** The reasons why a form was refused. */
export interface RefusedForm {
  readonly faults: readonly FormFault[]
  readonly status: number
  /** Seconds to wait, for a person who tried too often. */
  readonly retryAfterSeconds?: number
}

/** True for an error that asks the person to prove first who they are. */
export function wantsProof(error: unknown): boolean {
  return error instanceof BusinessError && error.code === AccountErrors.ReauthenticationRequired
}

/** Which field an error is about, by its code or by the member of the contract. */
export type FieldsOfErrors = Readonly<Record<string, string>>

/** Everything that is said of a new password. */
export const passwordFields: FieldsOfErrors = Object.fromEntries([
  ...Object.values(IdentityErrors)
    .filter((code) => code.includes(':Password'))
    .map((code) => [code, 'newPassword'] as const),
  [AccountErrors.PasswordNotChanged, 'newPassword'],
  [IdentityErrors.PasswordMismatch, 'currentPassword'],
  ['password', 'newPassword'],
])

/** Tells the person at a form what the rules behind it refused. */
@Injectable()
export class FormFaults {
  constructor(
    private readonly pages: Pages,
    private readonly passwords: Passwords,
  ) {}

  /**
   * The faults for which `work` refused the form; undefined when it succeeded. Throws errors that are not the
   * person's doing.
   */
  async of(
    form: URLSearchParams,
    fields: FieldsOfErrors,
    work: () => Promise<unknown>,
  ): Promise<RefusedForm | undefined> {
    try {
      await work()
      return undefined
    } catch (error) {
      return this.tell(error, form, fields)
    }
  }

  /** As {@link of}, for a form that gives a new password in `newPassword`. */
  ofPassword(form: URLSearchParams, work: () => Promise<unknown>): Promise<RefusedForm | undefined> {
    return this.of(form, passwordFields, work)
  }

  /** Everything that is wrong with a form, in the order of its fields; of each field what was found first. */
  combine(form: URLSearchParams, ...found: readonly (RefusedForm | undefined)[]): RefusedForm | undefined {
    const refused = found.filter((one) => one !== undefined)
    const [first] = refused
    if (!first) return undefined
    const told = new Set<string>()
    const faults = refused.flatMap((one) => {
      const fresh = one.faults.filter(({ field }) => field === undefined || !told.has(field))
      for (const { field } of fresh) if (field !== undefined) told.add(field)
      return fresh
    })
    const places = [...form.keys()]
    const placeOf = ({ field }: FormFault): number => places.indexOf(field ?? '')
    // The answer tells people who have to wait when to try again.
    const busy = refused.find(({ retryAfterSeconds }) => retryAfterSeconds)
    return { ...(busy ?? first), faults: faults.sort((a, b) => placeOf(a) - placeOf(b)) }
  }

  /** A problem that the router found with a form, as the page shows it. */
  ofProblem(problem: TextReference | undefined): Partial<RefusedForm> {
    return problem ? this.whole(problem.key, problem.data, 400) : {}
  }

  /** A fault for each required field that is empty. */
  missing(form: URLSearchParams, ...names: string[]): RefusedForm | undefined {
    const text = this.pages.text('Form:Required')
    const faults = names.filter((name) => !form.get(name)?.trim()).map((field) => ({ field, text }))
    return faults.length ? { faults, status: 400 } : undefined
  }

  /** A fault when a field holds something other than an e-mail address. */
  addressFault(form: URLSearchParams, field: string): RefusedForm | undefined {
    if (isMailAddress(form.get(field)?.trim() ?? '')) return undefined
    return { faults: [{ field, text: this.pages.text('Form:Email') }], status: 400 }
  }

  /** The faults of the two fields of a new password, without regard to its user. */
  async ofNewPassword(form: URLSearchParams): Promise<RefusedForm | undefined> {
    const check = () => this.passwords.check(form.get('newPassword') ?? '')
    return this.combine(
      form,
      this.missing(form, 'newPassword', 'confirmation'),
      this.confirmationFault(form),
      await this.ofPassword(form, check),
    )
  }

  /** A fault when the new password was typed differently the second time. */
  confirmationFault(form: URLSearchParams): RefusedForm | undefined {
    if (form.get('newPassword') === form.get('confirmation')) return undefined
    const text = this.pages.text(IdentityErrors.PasswordConfirmationFailed)
    return { faults: [{ field: 'confirmation', text }], status: 400 }
  }

  private async tell(error: unknown, form: URLSearchParams, fields: FieldsOfErrors): Promise<RefusedForm> {
    if (error instanceof ValidationError) return { faults: this.invalid(error, form, fields), status: 400 }
    if (error instanceof TooManyRequestsError) {
      const minutes = Math.ceil(error.retryAfterSeconds / 60)
      const { retryAfterSeconds } = error
      return { ...this.whole('SignIn:TooManyAttempts', { minutes }, 429), retryAfterSeconds }
    }
    if (error instanceof UnavailableError)
      return this.whole(error.text?.key ?? error.message, error.text?.data, 503)
    // The router sends them to prove who they are.
    if (wantsProof(error)) throw error
    if (error instanceof BusinessError || error instanceof UserFriendlyError)
      return { faults: await this.refused(error, fields), status: 400 }
    if (error instanceof KeelError && error.text) return this.whole(error.text.key, error.text.data, 409)
    throw error
  }

  private invalid({ validationErrors }: ValidationError, form: URLSearchParams, fields: FieldsOfErrors) {
    return validationErrors.map(({ members: [member = ''], text, message }): FormFault => {
      const field = fields[member] ?? member
      return {
        field: form.has(field) ? field : undefined,
        text: this.invalidText(field, form, text) ?? message,
      }
    })
  }

  private invalidText(
    field: string,
    form: URLSearchParams,
    text: { key: string; data?: Readonly<Record<string, unknown>> } | undefined,
  ): string | undefined {
    if (form.get(field) === '') return this.pages.text('Form:Required')
    if (/^email/i.test(field)) return this.pages.text('Form:Email')
    return text && this.pages.text(text.key, text.data)
  }

  /** A fault for each line of an error, but one for all rules that a password breaks. */
  private async refused(
    error: BusinessError | UserFriendlyError,
    fields: FieldsOfErrors,
  ): Promise<FormFault[]> {
    const text =
      error instanceof BusinessError ? this.pages.text(error.code ?? '', error.data) : error.message
    const codes = Array.isArray(error.data?.faults) ? (error.data.faults as string[]) : []
    const rules = (await this.passwords.rules()).filter(({ code }) => codes.includes(code))
    const broken = rules.map(({ code }) => code)
    const others = text
      .split('\n')
      .map((line, index) => ({ code: codes[index] ?? error.code ?? '', text: line }))
      .filter(({ code }) => !broken.includes(code))
      .map((line) => ({ field: fields[line.code], text: line.text }))
    if (!broken.length) return others
    const lacking = new Intl.ListFormat(ambient().culture).format(rules.map((rule) => rule.text))
    const ofRules = { field: 'newPassword', text: this.pages.text('Password:Lacks', { lacking }), broken }
    return [...others, ofRules]
  }

  private whole(
    key: string,
    data: Readonly<Record<string, unknown>> | undefined,
    status: number,
  ): RefusedForm {
    return { faults: [{ text: this.pages.text(key, data) }], status }
  }
}
