import { AddressLimits } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { UserDirectory } from '@keel/identity/contracts'
import { type FieldsOfErrors, FormFaults, type RefusedForm } from '../pages/form-faults.js'
import type { Context } from '../requests/context.js'
import { originOf } from '../requests/request-origin.js'

/** Adds names that other users have to the faults of a form, so that a person sees all faults at once. */
@Injectable()
export class TakenNames {
  constructor(
    private readonly users: UserDirectory,
    private readonly limits: AddressLimits,
    private readonly faults: FormFaults,
  ) {}

  /**
   * Undefined for a form without faults: its use case checks the names. Each check counts as a registration
   * of the address, so that nobody tries out names.
   * @param userId the user whose own names are not taken
   */
  async addTo(
    refused: RefusedForm | undefined,
    ctx: Context,
    {
      form,
      fields,
      names,
      userId,
    }: {
      readonly form: URLSearchParams
      readonly fields: FieldsOfErrors
      readonly names: Parameters<UserDirectory['check']>[0]
      readonly userId?: string
    },
  ): Promise<RefusedForm | undefined> {
    const check = async () => {
      await this.limits.spend('registration', originOf(ctx).ipAddress)
      await this.users.check(names, userId)
    }
    return refused && this.faults.combine(form, refused, await this.faults.of(form, fields, check))
  }
}
