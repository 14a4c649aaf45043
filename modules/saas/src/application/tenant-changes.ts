import { Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { expectStamp, type NewRow } from '@keel/framework/data'
import { SaasErrors } from '../contracts/index.js'
import { type Tenant } from '../domain/tenant.js'
import { TenantStore } from '../persistence/stores.js'

/** The changes that both tenant pages can make. */
@Injectable()
export class TenantChanges {
  constructor(private readonly tenants: TenantStore) {}

  /** Nobody can be a tenant of a system that serves one company. */
  refuseToCreate(): never {
    throw new BusinessError(SaasErrors.MultiTenancyDisabled)
  }

  async update(
    id: string,
    input: {
      readonly name: string
      readonly extraProperties?: object | null | undefined
      readonly concurrencyStamp?: string | null | undefined
    },
    changes: NewRow<Tenant> = {},
  ): Promise<void> {
    const tenant = await this.tenants.get(id)
    expectStamp(tenant, input)
    await this.tenants.update(tenant, {
      ...changes,
      name: input.name,
      normalizedName: input.name.toUpperCase(),
      ...(input.extraProperties && { extraProperties: JSON.stringify(input.extraProperties) }),
      entityVersion: tenant.entityVersion + 1,
    })
  }

  async delete(id: string): Promise<void> {
    await this.tenants.remove(await this.tenants.get(id))
  }
}
