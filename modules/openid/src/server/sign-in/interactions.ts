import type { Client, Interaction } from 'oidc-provider'
import type { PageRequest } from '../pages/account-page.js'
import { redirect } from '../requests/redirect.js'
import { requestAgain, returnUrlOf } from '../requests/return-url.js'

/** A page of a sign-in: for a client that waits, or on the server's own behalf. */
export interface SignInVisit {
  readonly request: PageRequest
  /** The request of a client that waits; undefined without one. */
  readonly interaction?: Interaction | undefined
  readonly client?: Client | undefined
  /** The address that other pages come back to. */
  readonly returnUrl: string | undefined
}

/** The sign-in that a request belongs to; undefined for one that is not under way in this browser. */
export async function visitOf(request: PageRequest): Promise<SignInVisit | undefined> {
  const { ctx, provider, id } = request
  if (id === undefined) return { request, returnUrl: returnUrlOf(ctx) }
  const interaction = await provider.interactionDetails(ctx.req, ctx.res).catch(() => undefined)
  if (interaction?.uid !== id) return undefined
  const client = await provider.Client.find(String(interaction.params.client_id))
  return { request, interaction, client, returnUrl: requestAgain(interaction) }
}

/** Goes on with the request that waits. */
export async function resumeInteraction(
  { request: { ctx, provider } }: SignInVisit,
  result: Parameters<PageRequest['provider']['interactionResult']>[2],
): Promise<void> {
  const returnTo = await provider.interactionResult(ctx.req, ctx.res, result, {
    mergeWithLastSubmission: true,
  })
  redirect(ctx, returnTo)
}

/** Tells the client that waits that nobody can sign in as it wants (OpenID Connect Core 1.0, section 3.1.2.3). */
export function refuseInteraction(visit: SignInVisit): Promise<void> {
  const error_description = 'There is no way to sign in anew'
  return resumeInteraction(visit, { error: 'login_required', error_description })
}

/** Tells the client that waits that the person does not want to go on. */
export function cancelInteraction(visit: SignInVisit): Promise<void> {
  const error_description = 'The person cancelled the sign-in'
  return resumeInteraction(visit, { error: 'access_denied', error_description })
}
