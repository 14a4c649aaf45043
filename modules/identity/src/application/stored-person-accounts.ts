import { Application, ambient, Provides } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Authority } from '@keel/framework/security'
import { IdentityErrors, type PersonAccount, PersonAccounts, Sessions } from '../contracts/index.js'
import { Administrators } from '../persistence/administrators.js'
import { UserStore } from '../persistence/stores.js'
import { UserRecords } from '../persistence/user-records.js'
import { HolderAnnouncer } from './holder-announcer.js'

/** The accounts of persons, in `AbpUsers`. */
@Provides(PersonAccounts)
export class StoredPersonAccounts implements PersonAccounts {
  constructor(
    private readonly users: UserStore,
    private readonly records: UserRecords,
    private readonly administrators: Administrators,
    private readonly sessions: Sessions,
    private readonly holders: HolderAnnouncer,
    private readonly application: Application,
  ) {}

  find(id: string): Promise<PersonAccount | undefined> {
    return this.records.person(id)
  }

  async close(id: string): Promise<void> {
    if (id === ambient().principal.userId) throw new BusinessError(IdentityErrors.UserSelfDeletion)
    await this.administrators.keepOne(async () => {
      const row = await this.users.find(id)
      if (!row) return
      // Hosts without guards, such as the auth server, have no authority and never call this.
      await this.application.get(Authority).demandUsers([id])
      await this.users.remove(row)
      await this.sessions.endAll(id)
      await this.holders.removed({ providerName: 'U', providerKey: id })
    })
  }
}
