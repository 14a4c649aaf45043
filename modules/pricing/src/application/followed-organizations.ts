import { Injectable } from '@keel/framework'
import { guid } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { EventHandler } from '@keel/framework/events'
import { BackgroundJobs, JobArgs, JobHandler } from '@keel/framework/jobs'
import { OrganizationCodeChangedEto, OrganizationMergedEto } from '@keel/hub/contracts'
import { OrganizationsOfRows } from '../persistence/followed-organizations.js'
import { RateCardStore } from '../persistence/stores.js'
import { Expiry } from './expiry.js'
import { secondPassMs } from './second-pass.js'

/** Writes once more what Hub told last of an organization: requests that were under way may have written what they had read before. */
export class FollowOrganizationArgs extends JobArgs('Pricing.FollowOrganization', {
  organizationId: guid(),
}) {}

/**
 * Keeps the organizations of Pricing's rows as Hub has them (domain model, section 6.5): what an organization had belongs to the one that it was merged into, and
 * stored codes follow. Each event is handled exactly once, in whatever order they come.
 */
@Injectable()
export class FollowedOrganizations {
  constructor(
    private readonly organizations: OrganizationsOfRows,
    private readonly cards: RateCardStore,
    private readonly expiry: Expiry,
    private readonly jobs: BackgroundJobs,
  ) {}

  @EventHandler(OrganizationMergedEto)
  async followMerge({
    entityId: id,
    reference: code,
    name,
    occurredAt: at,
    sourceId,
    sourceCode,
  }: OrganizationMergedEto): Promise<void> {
    await this.organizations.lock()
    await this.organizations.noteCode({ id, code, name, at })
    await this.organizations.noteMerge({ id: sourceId, code: sourceCode, at }, id)
    await this.write(sourceId)
    await this.writeLater(sourceId)
  }

  @EventHandler(OrganizationCodeChangedEto)
  async followCode({
    entityId: id,
    reference: code,
    occurredAt: at,
  }: OrganizationCodeChangedEto): Promise<void> {
    await this.organizations.lock()
    await this.organizations.noteCode({ id, code, at })
    await this.write(id)
    await this.writeLater(id)
  }

  @JobHandler(FollowOrganizationArgs)
  async writeAgain({ organizationId }: FollowOrganizationArgs): Promise<void> {
    await UnitOfWork.run(async () => {
      await this.organizations.lock()
      await this.write(organizationId)
    })
  }

  private async write(id: string): Promise<void> {
    const survivor = await this.organizations.survivorOf(id)
    if (!survivor) return
    if (survivor.id !== id) {
      // Customers have one price, and the organization that stays keeps its own.
      for (const card of await this.cards.sellingBeside(survivor.id, id))
        await this.expiry.expireCard(card, `${card.organizationCode} → ${survivor.code}`)
      await this.organizations.move(id, survivor)
    }
    await this.organizations.recode(survivor)
  }

  private async writeLater(organizationId: string): Promise<void> {
    await this.jobs.enqueue(new FollowOrganizationArgs({ organizationId }), { delayMs: secondPassMs })
  }
}
