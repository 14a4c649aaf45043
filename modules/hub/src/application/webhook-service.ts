import { isIP } from 'node:net'
import { AutoApiController, ambient, Clock, Configuration } from '@keel/framework'
import { BusinessError, faultOf, ValidationError } from '@keel/framework/contracts'
import { CrudService, Databases, expectStamp, PageReader, RowRules } from '@keel/framework/data'
import {
  InternalAddressError,
  isTrustworthyAddress,
  newWebhookSecret,
  OutwardAddresses,
  RequiresPermission,
} from '@keel/framework/security'
import {
  type CreateWebhookDto,
  HubErrors,
  mostWebhooks,
  type RotateWebhookSecretDto,
  type UpdateWebhookDto,
  WebhookAppService,
  WebhookDeliveryAppService,
  type WebhookDeliveryDto,
  WebhookDto,
  WebhookPermissions,
  WebhookStatus,
  type WebhookWithSecretDto,
} from '../contracts/index.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { Webhook } from '../domain/webhook.js'
import { WebhookDeliveryStore, WebhookStore } from '../persistence/webhook-stores.js'
import { OrganizationParents } from './organization-parents.js'
import { WebhookOwners } from './webhook-owners.js'
import { WebhookSecrets } from './webhook-secrets.js'

const hourMs = 3_600_000
const addressMs = 5000

/** Webhooks are changed by their owners alone: requests have the rights of the owner, and whoever could change the address would get what the owner sees. */
@AutoApiController(WebhookAppService)
@RequiresPermission(WebhookPermissions)
export class WebhookService
  extends CrudService(WebhookAppService, Webhook, {
    searchIn: ['name', 'url'],
    filterBy: ['organizationId', 'status'],
    defaultSorting: 'name',
  })
  implements WebhookAppService
{
  private readonly addresses: OutwardAddresses

  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    configuration: Configuration,
    private readonly webhooks: WebhookStore,
    private readonly deliveries: WebhookDeliveryStore,
    private readonly log: WebhookDeliveryAppService,
    private readonly owners: WebhookOwners,
    private readonly secrets: WebhookSecrets,
    private readonly parents: OrganizationParents,
    private readonly context: OrganizationContext,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
    this.addresses = new OutwardAddresses(configuration)
  }

  override async create(input: CreateWebhookDto): Promise<WebhookWithSecretDto> {
    const owner = this.owners.ofCaller()
    const { organizationId = null } = input
    await this.demandOrganization(organizationId)
    await this.demandAddress(input.url)
    await this.webhooks.lock(owner.ownerId)
    if ((await this.webhooks.countOf(owner.ownerId)) >= mostWebhooks)
      throw new BusinessError(HubErrors.TooManyWebhooks, { most: mostWebhooks })
    const secret = newWebhookSecret()
    const row = await this.store.insert({
      ...input,
      ...owner,
      organizationId,
      eventTypes: each(input.eventTypes),
      secret: await this.secrets.protect(secret),
    })
    return withSecret(row, secret)
  }

  override async update(id: string, input: UpdateWebhookDto): Promise<WebhookDto> {
    const row = await this.ownWebhook(id)
    expectStamp(row, input)
    if (input.url !== undefined) await this.demandAddress(input.url)
    const { concurrencyStamp: _, eventTypes, ...changes } = input
    await this.store.update(row, {
      ...changes,
      ...(eventTypes && { eventTypes: each(eventTypes) }),
      ...this.owners.ofCaller(),
    })
    return this.get(id)
  }

  @RequiresPermission(WebhookPermissions.Edit)
  async rotateSecret(id: string, { overlapHours }: RotateWebhookSecretDto): Promise<WebhookWithSecretDto> {
    const row = await this.ownWebhook(id)
    const secret = newWebhookSecret()
    await this.store.update(row, {
      secret: await this.secrets.protect(secret),
      previousSecret: overlapHours ? row.secret : null,
      previousSecretEndTime: overlapHours ? new Date(this.clock.nowMs + overlapHours * hourMs) : null,
    })
    return withSecret(row, secret)
  }

  @RequiresPermission(WebhookPermissions.Edit)
  async ping(id: string): Promise<WebhookDeliveryDto> {
    const { status } = await this.ownWebhook(id)
    if (status !== WebhookStatus.Active) throw new BusinessError(HubErrors.WebhookNotActive)
    return this.log.get(await this.deliveries.addPing(id))
  }

  @RequiresPermission(WebhookPermissions.Edit)
  async enable(id: string): Promise<WebhookDto> {
    const row = await this.ownWebhook(id)
    await this.store.update(row, {
      status: WebhookStatus.Active,
      failingSince: null,
      ...this.owners.ofCaller(),
    })
    return this.get(id)
  }

  @RequiresPermission(WebhookPermissions.Edit)
  async disable(id: string): Promise<WebhookDto> {
    const row = await this.store.get(id)
    await this.store.update(row, { status: WebhookStatus.Disabled })
    return this.get(id)
  }

  /** The webhook for a change by its owner. */
  private async ownWebhook(id: string): Promise<Webhook> {
    const row = await this.store.get(id)
    if (row.ownerId !== ambient().principal.userId) throw new BusinessError(HubErrors.WebhookNotOwner)
    return row
  }

  /** Refuses an organization that the caller does not see, and callers who do not see all without one. */
  private async demandOrganization(organizationId: string | null): Promise<void> {
    if (organizationId) return this.parents.demandActive(organizationId)
    if (!(await this.context.current()).all)
      throw new ValidationError([faultOf('organizationId', 'Hub:Validation:NoActiveOrganization')])
  }

  /**
   * Refuses addresses that no request would be made to. Names are not resolved here, so that nobody learns which names the network knows: what they
   * lead to is checked with each request.
   */
  private async demandAddress(text: string): Promise<void> {
    const invalid = new BusinessError(HubErrors.WebhookAddressInvalid)
    if (!isTrustworthyAddress(text)) throw invalid
    const { username, password, hostname, port, protocol } = new URL(text)
    if (username || password) throw invalid
    if (hostname !== 'localhost' && !isIP(hostname.replace(/^\[(.*)\]$/, '$1'))) return
    const address = { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) }
    await this.addresses.resolve(address, AbortSignal.timeout(addressMs)).catch((error: unknown) => {
      throw error instanceof InternalAddressError ? invalid : error
    })
  }
}

const each = (names: readonly string[]): string[] => [...new Set(names)]

function withSecret(row: Webhook, secret: string): WebhookWithSecretDto {
  const told = Object.keys(WebhookDto.shape).map((name) => [name, row.get(name) ?? null])
  return { ...(Object.fromEntries(told) as WebhookDto), secret }
}
