import { Injectable } from '@keel/framework'
import type { TextReference } from '@keel/framework/contracts'
import type { AccountPage, PageRequest } from '../pages/account-page.js'
import { pagePaths } from '../requests/page-paths.js'
import { AskedMailForm } from './asked-mail-form.js'

/** Asks for the address that a mail to confirm it is sent to again. */
@Injectable()
export class ResendConfirmationPage implements AccountPage {
  readonly path = pagePaths.resendConfirmation

  constructor(private readonly form: AskedMailForm) {}

  async show(request: PageRequest, problem?: TextReference): Promise<void> {
    this.form.show(request, 'EmailConfirmation', problem)
  }

  answer(request: PageRequest, form: URLSearchParams): Promise<void> {
    return this.form.answer(request, 'EmailConfirmation', form)
  }
}
