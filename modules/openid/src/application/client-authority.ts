import { Injectable } from '@keel/framework'
import { Authority } from '@keel/framework/security'
import type { CreateApplicationInput } from '../contracts/index.js'
import type { OpenIddictApplication } from '../domain/application.js'
import { flagsOf, listOf } from '../domain/client-settings.js'

/**
 * No client is a way up: neither by what it was granted itself, nor by the tokens that it receives of the
 * people who sign in.
 */
@Injectable()
export class ClientAuthority {
  constructor(private readonly authority: Authority) {}

  /** Refuses a change of a client, or a new client, that would give the caller more than the caller holds. */
  async demand(input: CreateApplicationInput, row?: OpenIddictApplication): Promise<void> {
    if (row) await this.demandClient(row)
    // Grants may wait for a client of this id.
    if (input.clientId !== row?.clientId) await this.authority.demandClient(input.clientId)
    // A browser that is signed in gets a code for such a client without any question to the user.
    if (receivesTokensUnasked(input) && (!row || isReceiverChanged(input, row)))
      this.authority.demandUnlimited()
  }

  /** Refuses a client that was granted what the caller does not hold. */
  async demandClient({ clientId }: OpenIddictApplication): Promise<void> {
    if (clientId) await this.authority.demandClient(clientId)
  }
}

function receivesTokensUnasked(input: CreateApplicationInput): boolean {
  const { allowAuthorizationCodeFlow, allowImplicitFlow, allowHybridFlow, redirectUris, consentType } = input
  const isSentBack = allowAuthorizationCodeFlow || allowImplicitFlow || allowHybridFlow
  return isSentBack && redirectUris.length > 0 && consentType !== 'explicit'
}

/** True for a change of the receivers of tokens, or of the way to them. */
function isReceiverChanged(input: CreateApplicationInput, row: OpenIddictApplication): boolean {
  const { allowAuthorizationCodeFlow, allowImplicitFlow, allowHybridFlow } = flagsOf(listOf(row.permissions))
  return (
    input.redirectUris.some((uri) => !listOf(row.redirectUris).includes(uri)) ||
    input.consentType !== row.consentType ||
    input.clientType !== row.clientType ||
    input.clientId !== row.clientId ||
    input.applicationType !== row.applicationType ||
    Boolean(input.clientSecret) ||
    (input.allowAuthorizationCodeFlow && !allowAuthorizationCodeFlow) ||
    (input.allowImplicitFlow && !allowImplicitFlow) ||
    (input.allowHybridFlow && !allowHybridFlow)
  )
}
