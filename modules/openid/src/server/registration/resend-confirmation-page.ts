import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { AskedMailForm } from './asked-mail-form.js'

/** Where somebody asks for the mail again with which they confirm their address. */
export const resendConfirmationPath = '/Account/ResendConfirmation'

/** The page of {@link resendConfirmationPath}. */
@Injectable()
export class ResendConfirmationPage implements AccountPage {
  readonly path = resendConfirmationPath

  constructor(private readonly form: AskedMailForm) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    this.form.show(request, 'EmailConfirmation', problem)
  }

  answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    return this.form.answer(request, 'EmailConfirmation', form)
  }
}
