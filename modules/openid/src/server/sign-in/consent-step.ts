import { Injectable } from '@keel/framework'
import { type Account, SecurityActions, SecurityEvents } from '@keel/identity/contracts'
import { consentMember, homeMember, logoMember } from '../clients/client-metadata.js'
import { Consents } from '../grants/consents.js'
import { Pages } from '../pages/pages.js'
import { originOf } from '../requests/request-origin.js'
import { requestAgain } from '../requests/return-url.js'
import { cancelInteraction, resumeInteraction, type SignInVisit } from './interactions.js'
import { ScopeTexts } from './scope-texts.js'

/** The step of a sign-in that asks whether a client may have what it wants, in words. */
@Injectable()
export class ConsentStep {
  constructor(
    private readonly consents: Consents,
    private readonly scopes: ScopeTexts,
    private readonly pages: Pages,
    private readonly events: SecurityEvents,
  ) {}

  async show({ request, client, interaction }: SignInVisit, { userName }: Account): Promise<void> {
    const clientName = client?.clientName ?? client?.clientId ?? ''
    const logo = logoOf(client)
    const data = {
      title: 'Consent:Title',
      titleData: { clientName },
      clientName,
      userName,
      home: addressOf(client?.[homeMember]),
      returnAddress: addressOf(interaction?.params.redirect_uri),
      logo,
      pictureSource: logo && sourceOf(logo),
      otherAccount: interaction && anotherAccount(interaction),
      scopes: await this.scopes.of(scopesOf(interaction)),
      isRemembered: client?.[consentMember] !== 'systematic',
    }
    this.pages.show(request.ctx, 'consent', data)
  }

  async answer(visit: SignInVisit, { id, userName }: Account, action: string | null): Promise<void> {
    const { client, interaction } = visit
    if (!client) return cancelInteraction(visit)
    const isAllowed = action === 'allow'
    await this.events.write({
      action: isAllowed ? SecurityActions.GrantConsent : SecurityActions.DenyConsent,
      identity: 'OpenIddict',
      userId: id,
      userName,
      origin: { ...originOf(visit.request.ctx), clientId: client.clientId },
      extraProperties: { Scopes: scopesOf(interaction).join(' ') },
    })
    if (!isAllowed) return cancelInteraction(visit)
    if (client[consentMember] !== 'systematic')
      await this.consents.remember(id, client.clientId, scopesOf(interaction))
    await resumeInteraction(visit, { consent: {} })
  }
}

function scopesOf(interaction: SignInVisit['interaction']): string[] {
  return String(interaction?.params.scope ?? '')
    .split(' ')
    .filter(Boolean)
}

/** The site of an address as people know it: the host, or the scheme of an installed application. */
function addressOf(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined
  const { host, protocol } = new URL(address)
  return host || protocol
}

function logoOf(client: SignInVisit['client']): URL | undefined {
  const logo = client?.[logoMember]
  return typeof logo === 'string' && URL.canParse(logo) && /^https?:/.test(logo) ? new URL(logo) : undefined
}

/** The address as a source of the content security policy, without the separators `;` and `,`. */
function sourceOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/[;,]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
}

/** The same request for another account; undefined for a device's, which no address starts again. */
function anotherAccount({ params }: NonNullable<SignInVisit['interaction']>): string | undefined {
  if (typeof params.redirect_uri !== 'string') return undefined
  const isAsked = String(params.prompt ?? '').includes('consent')
  const prompt = isAsked ? 'select_account consent' : 'select_account'
  // Parameters that name an account would choose the same one again.
  return requestAgain({ params: { ...params, prompt, login_hint: undefined, id_token_hint: undefined } })
}
