import { AutoApiController, ambient } from '@keel/framework'
import { BusinessError, pageOf } from '@keel/framework/contracts'
import { JsonView, PageReader } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  HubErrors,
  mostReplayed,
  type ReplayDeliveriesDto,
  type ReplayedDeliveriesDto,
  WebhookDeliveryAppService,
  WebhookDeliveryDto,
  type WebhookDeliveryListInput,
  WebhookPermissions,
} from '../contracts/index.js'
import { WebhookDelivery } from '../domain/webhook.js'
import { WebhookDeliveryStore, WebhookStore } from '../persistence/webhook-stores.js'

const Page = pageOf(WebhookDeliveryDto)
const view = new JsonView(WebhookDelivery, WebhookDeliveryDto, {})

@AutoApiController(WebhookDeliveryAppService)
@RequiresPermission(WebhookPermissions.View)
export class WebhookDeliveryService implements WebhookDeliveryAppService {
  constructor(
    private readonly deliveries: WebhookDeliveryStore,
    private readonly webhooks: WebhookStore,
    private readonly pages: PageReader,
  ) {}

  get(id: string): Promise<WebhookDeliveryDto> {
    return this.pages.one(WebhookDeliveryDto, view, id)
  }

  async getList({
    webhookId,
    status,
    ...input
  }: WebhookDeliveryListInput): Promise<InstanceType<typeof Page>> {
    const conditions = view.equal({ webhookId, status })
    return this.pages.page(Page, view, { ...input, defaultSorting: 'creationTime DESC', conditions })
  }

  @RequiresPermission(WebhookPermissions.Edit)
  async replay(id: string): Promise<WebhookDeliveryDto> {
    const { webhookId } = await this.deliveries.get(id)
    await this.demandOwner(webhookId)
    if (!(await this.deliveries.replay(id))) throw new BusinessError(HubErrors.WebhookDeliveryPending)
    return this.get(id)
  }

  @RequiresPermission(WebhookPermissions.Edit)
  async replayMany({
    webhookId,
    since,
    includeDelivered,
  }: ReplayDeliveriesDto): Promise<ReplayedDeliveriesDto> {
    await this.demandOwner(webhookId)
    return { count: await this.deliveries.replayMany(webhookId, since, includeDelivered, mostReplayed) }
  }

  private async demandOwner(webhookId: string): Promise<void> {
    const { ownerId } = await this.webhooks.get(webhookId)
    if (ownerId !== ambient().principal.userId) throw new BusinessError(HubErrors.WebhookNotOwner)
  }
}
