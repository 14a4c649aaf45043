import { availableParallelism } from 'node:os'
import { Provides } from '@keel/framework'
import { UnavailableError } from '@keel/framework/contracts'
import { Gate, hashPassword, verifyPassword } from '@keel/framework/security'
import { type Account, SignIn, type SignInResult } from '../contracts/index.js'
import { type Credentials, UserAccounts } from '../persistence/user-accounts.js'

/** Hashes at work at once (each holds one of libuv's four threads for some 40 ms), and attempts that may wait. */
const hashesInFlight = Math.min(availableParallelism(), 3)
const maxWaiting = 200

/** The identity module's {@link SignIn}: passwords of `AbpUsers`. */
@Provides(SignIn)
export class SignInService implements SignIn {
  private readonly gate = new Gate(hashesInFlight, maxWaiting, tooManySignIns)
  private hashOfNobody: Promise<string> | undefined

  constructor(private readonly accounts: UserAccounts) {}

  check(userNameOrEmail: string, password: string): Promise<SignInResult> {
    // The row is read inside, so that guesses sent at once see the lock-out that the ones before them caused.
    return this.gate.pass(() => this.checkNow(userNameOrEmail, password))
  }

  async find(userId: string): Promise<Account | undefined> {
    return this.accounts.find(userId)
  }

  private async checkNow(userNameOrEmail: string, password: string): Promise<SignInResult> {
    const credentials = await this.accounts.credentialsOf(userNameOrEmail)
    // Somebody unknown, locked or without a password costs as much time as everybody else: the answer's delay tells nothing.
    const verdict = await verifyPassword(password, credentials?.passwordHash ?? (await this.nobody()))
    if (!credentials?.passwordHash) return { outcome: 'wrong-credentials' }
    if (isLocked(credentials)) return { outcome: 'locked-out', until: credentials.lockoutEnd }
    if (verdict === 'wrong') return this.failed(credentials)
    if (!credentials.isActive) return { outcome: 'inactive' }
    if (verdict === 'right-but-rehash')
      await this.accounts.replaceHash(credentials, await hashPassword(password))
    if (credentials.accessFailedCount > 0) await this.accounts.forgetFailures(credentials.id)
    const account = await this.accounts.find(credentials.id)
    return account ? { outcome: 'signed-in', account } : { outcome: 'inactive' }
  }

  private async failed({ id }: Credentials): Promise<SignInResult> {
    const until = await this.accounts.countFailure(id)
    return until ? { outcome: 'locked-out', until } : { outcome: 'wrong-credentials' }
  }

  private nobody(): Promise<string> {
    const hash = this.hashOfNobody ?? hashPassword('nobody')
    this.hashOfNobody = hash
    return hash
  }
}

function tooManySignIns(): UnavailableError {
  return new UnavailableError(
    'Too many people are signing in at this moment. Try again in a few seconds.',
    undefined,
    { text: { key: 'TooManySignIns' } },
  )
}

function isLocked(credentials: Credentials): credentials is Credentials & { lockoutEnd: Date } {
  return credentials.lockoutEnabled && credentials.lockoutEnd !== null && credentials.lockoutEnd > new Date()
}
