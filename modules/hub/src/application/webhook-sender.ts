import { randomUUID } from 'node:crypto'
import { Application, Configuration, Injectable, system, withAmbient } from '@keel/framework'
import { BusinessError, ForbiddenError, UnavailableError } from '@keel/framework/contracts'
import { UnitOfWork, WorkLoop } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { type JobContext, JobSettings, JobWorker, RecurringJob } from '@keel/framework/jobs'
import { OutwardAddresses, outwardFetch, webhookHeaders } from '@keel/framework/security'
import { WebhookDeliveryStatus, WebhookFailure, WebhookStoppedEto } from '../contracts/index.js'
import { type Webhook, webhookRetryMinutes } from '../domain/webhook.js'
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  WebhookDeliveryStore,
  WebhookStore,
  webhookDeliveryTable,
} from '../persistence/webhook-stores.js'
import { OwnerShares } from './owner-shares.js'
import { WebhookIntake } from './webhook-intake.js'
import { WebhookOwners } from './webhook-owners.js'
import { WebhookPayloads } from './webhook-payloads.js'
import { WebhookSecrets } from './webhook-secrets.js'

/** Requests that a process makes at once. */
const lanes = 4
/** Those of them that also call addresses which fail or are slow: these do not keep all others waiting. */
const lanesForAll = 2
/** An address that took longer is slow until it is quicker. */
const slowMs = 3000
const pollMs = 5000
/** All of a request. */
const requestMs = 15_000
const goneStatus = 410

/** What an attempt led to, and the status of the answer. */
type Attempt = Pick<AttemptOutcome, 'status' | 'failure' | 'responseStatus'>

/**
 * Sends what waits in the log of deliveries. Each request is made in the name of the webhook's owner at this moment, and signed by the headers of Standard
 * Webhooks; `webhook-id` is the id of the delivery, the same for each attempt. A process that is killed while it sends leaves the delivery to
 * others: receivers may get it twice.
 */
@Injectable()
export class WebhookSender {
  private readonly fetch
  private readonly loops: WorkLoop[] = []
  private readonly stops = new AbortController()
  /** The webhooks whose last request from here was slow. */
  private readonly slow = new Set<string>()
  private readonly shares

  constructor(
    private readonly application: Application,
    private readonly webhooks: WebhookStore,
    private readonly deliveries: WebhookDeliveryStore,
    private readonly intake: WebhookIntake,
    private readonly owners: WebhookOwners,
    private readonly payloads: WebhookPayloads,
    private readonly secrets: WebhookSecrets,
    private readonly events: DistributedEventBus,
    configuration: Configuration,
  ) {
    this.fetch = outwardFetch(new OutwardAddresses(configuration))
    this.shares = new OwnerShares(() => application.clock.elapsedMs)
  }

  /** Starts to send, in a host that works on jobs. */
  start(): void {
    const { application } = this
    const works = application.find(JobWorker) && application.configuration.read(JobSettings).isWorkerEnabled
    if (!works) return
    for (let lane = 0; lane < lanes; lane += 1)
      this.loops.push(
        new WorkLoop({
          name: 'sending to webhooks',
          work: () => asProgram(() => this.sendNext(lane < lanesForAll)),
          pollMs,
          logger: application.logger,
        }),
      )
    const wake = () => {
      for (const loop of this.loops) loop.wake()
    }
    const { feed } = this.deliveries.database
    feed.onChanged(webhookDeliveryTable, wake)
    // Deliveries wait for a webhook that is disabled.
    feed.onChanged('HubWebhooks', wake)
    for (const loop of this.loops) loop.start()
  }

  /** Ends requests that are under way: they are made again. */
  async stop(): Promise<void> {
    this.stops.abort()
    await Promise.all(this.loops.map((loop) => loop.stop()))
  }

  @RecurringJob('37 * * * *')
  async deleteOld({ signal }: JobContext): Promise<void> {
    while (!signal.aborted && (await this.deliveries.deleteOld()) > 0);
  }

  private async sendNext(isForAll: boolean): Promise<boolean> {
    if ((await this.intake.active()).length === 0) return false
    const delivery = await this.deliveries.claim(this.shares.used(), isForAll ? undefined : [...this.slow])
    if (!delivery) return false
    const webhook = await this.webhooks.ofProgram(delivery.webhookId)
    if (!webhook) return true
    const startedMs = this.application.clock.elapsedMs
    const attempt = await this.shares.during(webhook.ownerId, () => this.attempt(delivery, webhook))
    // It stays taken until its time is over, and another process makes it.
    if (this.stops.signal.aborted) return false
    const durationMs = Math.round(this.application.clock.elapsedMs - startedMs)
    if (durationMs > slowMs) this.slow.add(webhook.id)
    else this.slow.delete(webhook.id)
    await this.end(delivery, webhook, { ...attempt, durationMs })
    return true
  }

  private async attempt(delivery: ClaimedDelivery, webhook: Webhook): Promise<Attempt> {
    try {
      const body = await this.owners.runAs(webhook, () => this.payloads.of(delivery, webhook))
      return body === undefined ? notVisible : await this.post(delivery, webhook, body)
    } catch (error) {
      // Nothing is known of the address while the database is away. The delivery is taken up again when its time is over.
      if (error instanceof UnavailableError) throw error
      const failure = failureOf(error)
      this.application.logger.info(
        { err: error, webhook: webhook.id, delivery: delivery.id },
        'a webhook did not take an event',
      )
      return { ...failed, failure }
    }
  }

  /** Redirects are not followed. */
  private async post({ id }: ClaimedDelivery, webhook: Webhook, body: string): Promise<Attempt> {
    const message = { id, sentAt: this.application.clock.now, body }
    const { status: responseStatus } = await this.fetch(webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Keel',
        ...(await webhookHeaders(message, await this.secrets.of(webhook))),
      },
      body,
      timeoutMs: requestMs,
      signal: this.stops.signal,
    })
    const isTaken = responseStatus >= 200 && responseStatus < 300
    if (isTaken) return { status: WebhookDeliveryStatus.Delivered, failure: null, responseStatus }
    return { ...failed, failure: WebhookFailure.Refused, responseStatus }
  }

  private async end(
    delivery: ClaimedDelivery,
    webhook: Webhook,
    attempt: Attempt & Pick<AttemptOutcome, 'durationMs'>,
  ): Promise<void> {
    const hasFailed = attempt.status === WebhookDeliveryStatus.Failed
    const isGone = attempt.responseStatus === goneStatus
    const minutes = hasFailed && !isGone ? webhookRetryMinutes[delivery.attempt - 1] : undefined
    const outcome: AttemptOutcome =
      minutes === undefined
        ? { ...attempt, pauseSeconds: null }
        : { ...attempt, status: WebhookDeliveryStatus.Pending, pauseSeconds: jittered(minutes * 60) }
    await UnitOfWork.run(async () => {
      if (!(await this.deliveries.end(delivery, outcome))) return
      if (attempt.status === WebhookDeliveryStatus.Delivered && webhook.failingSince)
        await this.webhooks.noteTaken(webhook.id)
      if (!hasFailed) return
      if (!webhook.failingSince) await this.webhooks.noteFailing(webhook.id)
      if (await this.webhooks.stop(webhook.id, isGone)) await this.tellOwner(webhook)
    })
  }

  private async tellOwner({ id: webhookId, name, ownerId }: Webhook): Promise<void> {
    const eventId = randomUUID()
    const occurredAt = this.application.clock.now
    await this.events.publish(new WebhookStoppedEto({ eventId, webhookId, name, ownerId, occurredAt }), {
      key: webhookId,
    })
  }
}

const failed = { status: WebhookDeliveryStatus.Failed, responseStatus: null } as const
const notVisible: Attempt = {
  status: WebhookDeliveryStatus.Skipped,
  failure: WebhookFailure.NotVisible,
  responseStatus: null,
}

function failureOf(error: unknown): WebhookFailure {
  if (error instanceof ForbiddenError || error instanceof BusinessError)
    return WebhookFailure.OwnerNotPermitted
  const isLate = error instanceof DOMException && error.name === 'TimeoutError'
  return isLate ? WebhookFailure.TimedOut : WebhookFailure.NotReached
}

/** Runs work that nobody asked for: as the program itself, which may act in the name of owners. */
function asProgram<T>(work: () => Promise<T>): Promise<T> {
  const correlationId = randomUUID().replaceAll('-', '')
  return withAmbient({ correlationId, principal: system, culture: 'en' }, work)
}

/** Up to a tenth more: receivers that were down are not met by all senders in one second. */
const jittered = (seconds: number): number => seconds * (1 + Math.random() / 10)
