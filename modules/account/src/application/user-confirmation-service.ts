import { createHash } from 'node:crypto'
import { Provides } from '@keel/framework'
import { SignIn, UserDirectory, type UserRecord } from '@keel/identity/contracts'
import { type ConfirmationDemand, UserConfirmations } from '../contracts/index.js'
import { AccountSecrets } from '../persistence/account-secrets.js'
import { PurposeTokens, tokenSeconds } from './purpose-tokens.js'

const purpose = 'ConfirmUser'

/** The account module's {@link UserConfirmations}. */
@Provides(UserConfirmations)
export class UserConfirmationService implements UserConfirmations {
  constructor(
    private readonly users: UserDirectory,
    private readonly signIn: SignIn,
    private readonly tokens: PurposeTokens,
    private readonly secrets: AccountSecrets,
  ) {}

  async demandOf(userId: string): Promise<ConfirmationDemand | undefined> {
    const user = await this.users.find(userId)
    const missing = user?.isActive ? await this.signIn.unconfirmed(user) : []
    if (!user || missing.length === 0) return undefined
    return {
      email: missing.includes('email'),
      phoneNumber: missing.includes('phoneNumber'),
      token: await this.tokens.make(purpose, user),
    }
  }

  async isGenuine(userId: string, token: string): Promise<boolean> {
    return this.tokens.isFor(purpose, await this.users.find(userId), token)
  }

  async admitClients(userId: string): Promise<void> {
    const user = await this.users.find(userId)
    if (user) await this.secrets.remember(user.id, purpose, stampOf(user), tokenSeconds[purpose])
  }

  /** True when {@link admitClients} was called for the user, whose credentials are the same since. */
  admitsClients(user: UserRecord): Promise<boolean> {
    return this.secrets.has(user.id, purpose, stampOf(user))
  }
}

function stampOf({ securityStamp }: UserRecord): string {
  return createHash('sha256').update(securityStamp).digest('base64url')
}
