import { AccountErrors } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import {
  BusinessError,
  KeelError,
  type TextReference,
  TooManyRequestsError,
  UnavailableError,
  UserFriendlyError,
  ValidationError,
} from '@keel/framework/contracts'
import { IdentityErrors } from '@keel/identity/contracts'
import { type FormFault, Pages } from '../pages.js'

/** Why a form was not taken. */
export interface RefusedForm {
  readonly faults: readonly FormFault[]
  readonly status: number
  /** When to try again, for who tried too often. */
  readonly retryAfterSeconds?: number
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
  constructor(private readonly pages: Pages) {}

  /** What `work` refused; undefined when it went well. Throws on what is not the person's doing. */
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

  /** A problem that the router found with a form, as the page shows it. */
  because(problem: TextReference | undefined): Partial<RefusedForm> {
    return problem ? this.whole(problem.key, problem.data, 400) : {}
  }

  /** What has to be filled in and is not. */
  missing(form: URLSearchParams, ...names: string[]): RefusedForm | undefined {
    const text = this.pages.text('ThisFieldIsRequired.')
    const faults = names.filter((name) => !form.get(name)?.trim()).map((field) => ({ field, text }))
    return faults.length ? { faults, status: 400 } : undefined
  }

  /** As {@link of}, for a form that gives a new password in `newPassword`. */
  ofPassword(form: URLSearchParams, work: () => Promise<unknown>): Promise<RefusedForm | undefined> {
    return this.of(form, passwordFields, work)
  }

  /** Whether the new password was typed differently the second time. */
  unequal(form: URLSearchParams): RefusedForm | undefined {
    if (form.get('newPassword') === form.get('confirmation')) return undefined
    const text = this.pages.text(IdentityErrors.PasswordConfirmationFailed)
    return { faults: [{ field: 'confirmation', text }], status: 400 }
  }

  private tell(error: unknown, form: URLSearchParams, fields: FieldsOfErrors): RefusedForm {
    if (error instanceof ValidationError)
      return {
        faults: error.validationErrors.map(({ members: [member = ''], text, message }) => {
          const field = fields[member] ?? member
          return {
            field: form.has(field) ? field : undefined,
            text: this.invalid(field, form, text) ?? message,
          }
        }),
        status: 400,
      }
    if (error instanceof TooManyRequestsError) {
      const minutes = Math.ceil(error.retryAfterSeconds / 60)
      const { retryAfterSeconds } = error
      return { ...this.whole('SignIn:TooManyAttempts', { minutes }, 429), retryAfterSeconds }
    }
    if (error instanceof UnavailableError)
      return this.whole(error.text?.key ?? error.message, error.text?.data, 503)
    if (error instanceof BusinessError || error instanceof UserFriendlyError) {
      const text =
        error instanceof BusinessError ? this.pages.text(error.code ?? '', error.data) : error.message
      const field = fields[error.code ?? '']
      return { faults: text.split('\n').map((line) => ({ field, text: line })), status: 400 }
    }
    if (error instanceof KeelError && error.text) return this.whole(error.text.key, error.text.data, 409)
    throw error
  }

  private invalid(
    field: string,
    form: URLSearchParams,
    text: { key: string; data?: Readonly<Record<string, unknown>> } | undefined,
  ): string | undefined {
    if (form.get(field) === '') return this.pages.text('ThisFieldIsRequired.')
    if (/^email/i.test(field)) return this.pages.text('ThisFieldIsNotAValidEmailAddress.')
    return text && this.pages.text(text.key, text.data)
  }

  private whole(
    key: string,
    data: Readonly<Record<string, unknown>> | undefined,
    status: number,
  ): RefusedForm {
    return { faults: [{ text: this.pages.text(key, data) }], status }
  }
}
