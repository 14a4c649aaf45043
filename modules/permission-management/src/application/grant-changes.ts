import { Application, Injectable } from '@keel/framework'
import { BusinessError, faultOf, type PermissionDefinition, ValidationError } from '@keel/framework/contracts'
import { Authority, AvailablePermissions, type GrantHolder } from '@keel/framework/security'
import { PermissionErrors, type UpdatePermissionDto } from '../contracts/index.js'
import { allows } from '../domain/verdict.js'
import { type GrantChange, PermissionGrants } from '../persistence/permission-grants.js'

/** Finds out what an update comes to. */
@Injectable()
export class GrantChanges {
  constructor(
    private readonly application: Application,
    private readonly authority: Authority,
    private readonly grants: PermissionGrants,
    private readonly available: AvailablePermissions,
  ) {}

  /**
   * The changes that make a holder's own grants what an update says. Permissions that nobody defines, and those whose
   * feature or setting is off, are passed over; refused is what the
   * caller may not change and what the holder can't be given.
   */
  async wanted(
    { providerName, providerKey }: GrantHolder,
    update: readonly UpdatePermissionDto[],
  ): Promise<GrantChange[]> {
    const holder = { providerName, providerKey }
    const [rows, withheld] = await Promise.all([this.grants.rowsOf([holder]), this.available.withheld()])
    const granted = new Set(rows.filter(({ isProhibition }) => !isProhibition).map(({ name }) => name))
    const prohibited = new Set(rows.filter(({ isProhibition }) => isProhibition).map(({ name }) => name))
    // Of two items of one name the later counts.
    const wanted = new Map(update.map((item) => [item.name, item]))
    return [...wanted.values()].flatMap((item): GrantChange[] => {
      const { name, isGranted, isProhibited = null } = item
      const definition = this.application.permissions.get(name)
      if (!definition || withheld.has(name)) return []
      if (isGranted && isProhibited)
        throw new ValidationError([
          faultOf('permissions', 'PermissionManagement:Validation:GrantedAndProhibited', { name }),
        ])
      const kinds: GrantChange['kind'][] = []
      if (isGranted !== granted.has(name)) kinds.push(isGranted ? 'Granted' : 'Revoked')
      if (isProhibited !== null && isProhibited !== prohibited.has(name))
        kinds.push(isProhibited ? 'Prohibited' : 'Allowed')
      if (kinds.length) this.check(definition, kinds, holder)
      return kinds.map((kind) => ({ ...holder, name, kind }))
    })
  }

  private check(
    definition: PermissionDefinition,
    kinds: readonly GrantChange['kind'][],
    { providerName }: GrantHolder,
  ): void {
    const { name } = definition
    const isGiven = kinds.some((kind) => kind === 'Granted' || kind === 'Prohibited')
    if (isGiven && !allows(definition, providerName))
      throw new BusinessError(PermissionErrors.ProviderNotAllowed, { permission: name, providerName })
    if (!this.authority.mayGive(name)) throw new BusinessError(PermissionErrors.NotHeld, { permission: name })
  }
}
