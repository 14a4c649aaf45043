import { Application, Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { type SeedContext, Seeder } from '@keel/framework/data'
import { PermissionErrors } from '../contracts/index.js'
import { allows } from '../domain/verdict.js'
import { PermissionGrants } from './permission-grants.js'

/**
 * Grants to roles what `@GrantedTo` says on the permissions of all modules. Missing grants are added, others never removed. What a role
 * inherits is not written down: it is looked up through the hierarchy.
 */
@Injectable()
export class RoleGrantSeeder extends Seeder {
  constructor(
    private readonly application: Application,
    private readonly grants: PermissionGrants,
  ) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    const { permissions, roles } = this.application
    const grantable = [...permissions.values()].filter((permission) => allows(permission, 'R'))
    const wanted = grantable.flatMap(({ name, grantedTo }) =>
      grantedTo.map((role) => {
        if (roles.get(role.name) !== role)
          throw new BusinessError(PermissionErrors.InvalidHierarchy, { role: role.name, permission: name })
        return { providerName: 'R', providerKey: role.name, permission: name } as const
      }),
    )
    const known = await this.grants.rowsOf(
      [...roles.values()].map(({ name }) => ({ providerName: 'R', providerKey: name })),
    )
    const granted = new Set(
      known.filter(({ isProhibition }) => !isProhibition).map((row) => `${row.providerKey} ${row.name}`),
    )
    const missing = wanted.filter(
      ({ providerKey, permission }) => !granted.has(`${providerKey} ${permission}`),
    )
    const added = await this.grants.grant(missing, 'Seed')
    if (added) logger.info({ wanted: wanted.length, added }, 'role grants added')
  }
}
