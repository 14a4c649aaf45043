import { Injectable } from '@keel/framework'
import { type Account, SecurityActions, SecurityEvents } from '@keel/identity/contracts'
import { consentMember } from './client-metadata.js'
import { Consents } from './consents.js'
import { cancel, finish, type SignInVisit } from './interactions.js'
import { Pages } from './pages.js'
import { originOf } from './requests.js'
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
    const data = {
      title: 'Consent:Title',
      titleData: { clientName },
      clientName,
      userName,
      scopes: await this.scopes.of(scopesOf(interaction)),
      isRemembered: client?.[consentMember] !== 'systematic',
    }
    this.pages.show(request.ctx, 'consent', data)
  }

  async answer(visit: SignInVisit, { id, userName }: Account, action: string | null): Promise<void> {
    const { client, interaction } = visit
    if (!client) return cancel(visit)
    const isAllowed = action === 'allow'
    await this.events.write({
      action: isAllowed ? SecurityActions.GrantConsent : SecurityActions.DenyConsent,
      identity: 'OpenIddict',
      userId: id,
      userName,
      origin: { ...originOf(visit.request.ctx), clientId: client.clientId },
      extraProperties: { Scopes: scopesOf(interaction).join(' ') },
    })
    if (!isAllowed) return cancel(visit)
    if (client[consentMember] !== 'systematic')
      await this.consents.remember(id, client.clientId, scopesOf(interaction))
    await finish(visit, { consent: {} })
  }
}

function scopesOf(interaction: SignInVisit['interaction']): string[] {
  return String(interaction?.params.scope ?? '')
    .split(' ')
    .filter(Boolean)
}
