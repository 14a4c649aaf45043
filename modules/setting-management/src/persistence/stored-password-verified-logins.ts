import { AccountModuleSettings, type LoginOfProvider, PasswordVerifiedLogins } from '@keel/account/contracts'
import { Provides } from '@keel/framework'
import { z } from '@keel/framework/contracts'
import { longestValue } from '../domain/setting.js'
import { SettingTable, userOf } from './setting-table.js'

const { name: setting } = AccountModuleSettings.ExternalLoginPasswordVerified
const stored = z.array(z.object({ loginProvider: z.string(), providerKey: z.string() }))

/** Keeps the logins as ABP does: a list in a setting of the user. */
@Provides(PasswordVerifiedLogins)
export class StoredPasswordVerifiedLogins implements PasswordVerifiedLogins {
  constructor(private readonly table: SettingTable) {}

  async has(userId: string, login: LoginOfProvider): Promise<boolean> {
    return (await this.of(userId)).some(isSameAs(login))
  }

  async add(userId: string, { loginProvider, providerKey }: LoginOfProvider): Promise<void> {
    const isSame = isSameAs({ loginProvider, providerKey })
    const others = (await this.of(userId)).filter((one) => !isSame(one))
    const kept = [...others, { loginProvider, providerKey }]
    // The oldest give way: their users are asked for the password once more.
    while (JSON.stringify(kept).length > longestValue) kept.shift()
    await this.table.setForUser(userId, { [setting]: JSON.stringify(kept) })
  }

  async remove(userId: string, login: LoginOfProvider): Promise<void> {
    const before = await this.of(userId)
    const isSame = isSameAs(login)
    const kept = before.filter((one) => !isSame(one))
    if (kept.length === before.length) return
    await this.table.setForUser(userId, { [setting]: kept.length ? JSON.stringify(kept) : null })
  }

  /** From the table itself: what is written next is made of it. */
  private async of(userId: string): Promise<LoginOfProvider[]> {
    const value = (await this.table.read(userOf(userId))).get(setting)
    return value === undefined ? [] : read(value)
  }
}

/** A text that is no such list says that nothing was verified. */
function read(value: string): LoginOfProvider[] {
  try {
    return stored.safeParse(JSON.parse(value)).data ?? []
  } catch {
    return []
  }
}

function isSameAs({ loginProvider, providerKey }: LoginOfProvider): (one: LoginOfProvider) => boolean {
  return (one) => one.loginProvider === loginProvider && one.providerKey === providerKey
}
