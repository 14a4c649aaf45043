import { Application, Configuration, Injectable } from '@keel/framework'
import { BlobStore, type StoredBlob } from '@keel/framework/blobs'
import { BusinessError, guid } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { BackgroundJobs, JobArgs, type JobContext, JobHandler } from '@keel/framework/jobs'
import { Mail, Mailer } from '@keel/framework/mail'
import { OutwardAddresses, outwardFetch, UserContext, webhookHeaders } from '@keel/framework/security'
import { spreadsheetTypes } from '@keel/framework/spreadsheets'
import { TextTemplates } from '@keel/framework/texts'
import {
  ExportDelivery,
  ExportErrors,
  ExportFormat,
  ExportRunStatus,
  exportDays,
  type InboxKind,
  NotificationSeverity,
} from '../contracts/index.js'
import type { ExportRun, ExportSchedule } from '../domain/export-schedule.js'
import { ExportMailTemplates } from '../domain/export-texts.js'
import { type ExportedFile, ExportRunStore, ExportScheduleStore } from '../persistence/export-schedules.js'
import { NotificationStore } from '../persistence/notifications.js'
import { ExportFileRights } from './export-file-rights.js'
import { actingOwner, isRefusal } from './export-owner.js'
import { demandDeliveryRights, ownAddress } from './export-rules.js'
import { ExportSecrets } from './export-secrets.js'
import { OwnerTurns } from './owner-turns.js'

/** Posts the file of a run to the webhook of its schedule. */
export class DeliverExportArgs extends JobArgs('App.DeliverExport', { runId: guid() }, { isLong: true }) {}

/** Minutes after which a failed attempt at a webhook is repeated. */
const retryMinutes = [1, 5, 15]
/** All of a request to a webhook, however large the file. */
const longestRequestMs = 5 * 60_000
/** A receiver of a small file has this time to answer; of a large one it takes at least so many bytes in a second. */
const answerMs = 20_000
const leastBytesPerSecond = 64 * 1024
/** The most bytes of a file that goes with a mail, where `Mail:MaxAttachmentBytes` allows as many. */
const mostMailBytes = 10_000_000

/** Delivers the files of runs. What a transaction ends a run with is all that is needed: the delivery itself can be repeated. */
@Injectable()
export class ExportDeliveries {
  /** A receiver that is slow holds up the files of its owner alone. */
  private readonly turns = new OwnerTurns()
  private readonly fetch
  private readonly mostMailBytes: number

  constructor(
    private readonly schedules: ExportScheduleStore,
    private readonly runs: ExportRunStore,
    private readonly notifications: NotificationStore,
    private readonly blobs: BlobStore,
    private readonly jobs: BackgroundJobs,
    private readonly mailer: Mailer,
    private readonly templates: TextTemplates,
    private readonly people: UserContext,
    private readonly secrets: ExportSecrets,
    private readonly rights: ExportFileRights,
    private readonly application: Application,
    configuration: Configuration,
  ) {
    this.fetch = outwardFetch(new OutwardAddresses(configuration))
    this.mostMailBytes = Math.min(configuration.read(Mail).maxAttachmentBytes, mostMailBytes)
  }

  /** Begins the delivery of a file, in the unit of work that ends its run, and in the owner's name. */
  async begin(runId: string, schedule: ExportSchedule, file: ExportedFile): Promise<void> {
    if (schedule.delivery === ExportDelivery.Webhook) {
      await this.jobs.enqueue(new DeliverExportArgs({ runId }))
      return
    }
    if (schedule.delivery === ExportDelivery.Email) await this.mail(schedule, file)
    else await this.notify(runId, schedule, 'ExportReady', { rows: file.rowCount })
    await this.runs.endDelivery(runId, null)
  }

  /** Notes that a run failed, and tells its owner; in the unit of work at hand. */
  async tellOfFailure(run: ExportRun, schedule: ExportSchedule): Promise<void> {
    const isStopped = await this.schedules.noteEnd(run, ExportRunStatus.Failed)
    await this.notify(run.id, schedule, isStopped ? 'ExportScheduleFaulted' : 'ExportFailed')
  }

  @JobHandler(DeliverExportArgs)
  async deliver({ runId }: DeliverExportArgs, job: JobContext): Promise<void> {
    const run = await this.runs.ofProgram(runId)
    if (run) await this.turns.take(run.userId, job, () => this.attempt(run, job.signal))
  }

  private async attempt({ id }: ExportRun, signal: AbortSignal): Promise<void> {
    if (!(await this.runs.beginDelivery(id))) return
    const run = await this.runs.ofProgram(id)
    const schedule = run && (await this.schedules.ofProgram(run.exportScheduleId))
    if (!run || !schedule) {
      await this.runs.endDelivery(id, ExportErrors.DeliveryFailed)
      return
    }
    try {
      // The owner may have lost the right since the file was written.
      await this.people.runAs(
        actingOwner(schedule),
        () => {
          demandDeliveryRights(schedule)
          return this.rights.demand(run)
        },
        `job ${DeliverExportArgs.jobName}`,
      )
      await this.post(run, schedule, signal)
    } catch (error) {
      if (signal.aborted) throw error
      await this.repeatOrEnd(run, schedule, error)
      return
    }
    await this.runs.endDelivery(id, null)
  }

  private async repeatOrEnd(run: ExportRun, schedule: ExportSchedule, error: unknown): Promise<void> {
    const pauseMinutes = isRefusal(error) ? undefined : retryMinutes[run.deliveryAttempt - 1]
    this.application.logger.warn(
      { err: error, exportRun: run.id, pauseMinutes },
      'a webhook did not take an export',
    )
    await UnitOfWork.run(async () => {
      if (pauseMinutes !== undefined)
        await this.jobs.enqueue(new DeliverExportArgs({ runId: run.id }), { delayMs: pauseMinutes * 60_000 })
      else if (await this.runs.endDelivery(run.id, ExportErrors.DeliveryFailed))
        await this.tellOfFailure(run, schedule)
    })
  }

  /**
   * Posts the file as `multipart/form-data`: a part `metadata` with JSON, and the file. Signed by the headers of Standard Webhooks. `webhook-id` is the same
   * for each attempt: receivers know by it what they have. Redirects are not followed. Throws unless the answer is 2xx.
   */
  private async post(run: ExportRun, schedule: ExportSchedule, signal: AbortSignal): Promise<void> {
    const { webhookUrl, webhookSecret } = schedule
    const [blob, secret] = await Promise.all([
      run.blobName ? this.blobs.find(run.blobName) : undefined,
      webhookSecret ? this.secrets.unprotect(webhookSecret) : undefined,
    ])
    if (!blob || !secret || !webhookUrl) throw new BusinessError(ExportErrors.DeliveryFailed)
    const parts = partsOf(run, schedule)
    const size = Buffer.byteLength(parts.begin) + blob.size + Buffer.byteLength(parts.end)
    const message = { id: run.id, sentAt: this.application.clock.now, body: bodyOf(parts, blob) }
    const { status } = await this.fetch(webhookUrl, {
      method: 'POST',
      headers: {
        'content-type': `multipart/form-data; boundary=${parts.boundary}`,
        'content-length': String(size),
        'user-agent': 'Keel',
        ...(await webhookHeaders(message, [secret])),
      },
      body: bodyOf(parts, blob),
      timeoutMs: Math.min(answerMs + Math.ceil(size / leastBytesPerSecond) * 1000, longestRequestMs),
      signal,
    })
    if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}`)
  }

  private async mail(schedule: ExportSchedule, file: ExportedFile): Promise<void> {
    const to = schedule.emailRecipients ?? [ownAddress()].filter((one) => one !== undefined)
    if (to.length === 0) throw new BusinessError(ExportErrors.OwnerNotPermitted)
    const values = { name: schedule.name, rows: String(file.rowCount) }
    const isSmall = file.fileSize <= this.mostMailBytes && file.blobName !== null
    const mail = isSmall
      ? await this.templates.mail(ExportMailTemplates.Attached, values)
      : await this.templates.mail(ExportMailTemplates.TooLarge, { ...values, days: String(exportDays.file) })
    const attachment = {
      fileName: file.fileName,
      contentType: typeOf(schedule.format),
      blob: file.blobName ?? '',
    }
    await this.mailer.sendLater({
      ...mail,
      to,
      attachments: [...(mail.attachments ?? []), ...(isSmall ? [attachment] : [])],
    })
  }

  private async notify(
    runId: string,
    { userId, name, culture }: ExportSchedule,
    kind: InboxKind,
    data: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const { localization } = this.application
    const title = localization.find(`Notification:${kind}`, culture, { name, ...data }) ?? name
    await this.notifications.add({
      userId,
      eventId: runId,
      kind,
      severity: kind === 'ExportReady' ? NotificationSeverity.Information : NotificationSeverity.Error,
      title: title.slice(0, 200),
      entityType: 'ExportRun',
      entityId: runId,
      mailDueTime: null,
    })
  }
}

/** What is around the file in the body of a request. */
interface Parts {
  readonly boundary: string
  readonly begin: string
  readonly end: string
}

function partsOf(run: ExportRun, { id, name, entitySet, format }: ExportSchedule): Parts {
  const boundary = `keel-${run.id}`
  const { scheduledTime, rowCount, isTruncated, fileName } = run
  const metadata = JSON.stringify({
    ...{ runId: run.id, scheduleId: id, name, entitySet },
    ...{ scheduledTime, rowCount, isTruncated, fileName },
  })
  const plainName = (fileName ?? 'export').replace(/[^\x20-\x7e]|["\\]/g, '_')
  const begin = [
    `--${boundary}`,
    'content-disposition: form-data; name="metadata"',
    'content-type: application/json',
    '',
    metadata,
    `--${boundary}`,
    `content-disposition: form-data; name="file"; filename="${plainName}"`,
    `content-type: ${typeOf(format)}`,
    '',
    '',
  ].join('\r\n')
  return { boundary, begin, end: `\r\n--${boundary}--\r\n` }
}

async function* bodyOf({ begin, end }: Parts, blob: StoredBlob): AsyncGenerator<Uint8Array> {
  yield Buffer.from(begin)
  yield* blob.stream() as unknown as AsyncIterable<Uint8Array>
  yield Buffer.from(end)
}

function typeOf(format: ExportFormat): string {
  return spreadsheetTypes[format === ExportFormat.Xlsx ? 'xlsx' : 'csv']
}
