import { Application, Clock, Injectable } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import { BusinessError, ForbiddenError, guid } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { BackgroundJobs, JobArgs, type JobContext, JobHandler, RecurringJob } from '@keel/framework/jobs'
import { EntitySetRows } from '@keel/framework/odata'
import { demandPermission, UserContext } from '@keel/framework/security'
import { spreadsheetFile } from '@keel/framework/spreadsheets'
import {
  ExportDeliveryStatus,
  ExportErrors,
  ExportFormat,
  ExportRunStatus,
  ExportSchedulePermissions,
  mostExportRunsPerDay,
} from '../contracts/index.js'
import { exportFileName } from '../domain/export-file-name.js'
import type { ExportRun, ExportSchedule } from '../domain/export-schedule.js'
import { latestMissed, nextRun } from '../domain/next-run.js'
import { type ExportedFile, ExportRunStore, ExportScheduleStore } from '../persistence/export-schedules.js'
import { ExportDeliveries } from './export-deliveries.js'
import { actingOwner, isActingError, isRefusal } from './export-owner.js'
import { demandDeliveryRights } from './export-rules.js'
import { OwnerTurns } from './owner-turns.js'

/** Makes the file of a run. */
export class RunExportArgs extends JobArgs('App.RunExport', { runId: guid() }, { isLong: true }) {}

/** Minutes after which a failed attempt is repeated. */
const retryMinutes = [1, 5, 15]
const schedulesAtOnce = 50
const rowsAtOnce = 500

/**
 * Runs exports that are due. A run is added in the transaction that moves its schedule on, and its job with it: a time has one run, whatever the number
 * of processes. The file is written anew by each attempt, and the run ends in one transaction with what delivers it: a process that is killed
 * anywhere leaves either nothing or all of it.
 */
@Injectable()
export class ExportRunner {
  /** A caller has one streamed answer at a time. */
  private readonly turns = new OwnerTurns()

  constructor(
    private readonly schedules: ExportScheduleStore,
    private readonly runs: ExportRunStore,
    private readonly sets: EntitySetRows,
    private readonly deliveries: ExportDeliveries,
    private readonly blobs: BlobStore,
    private readonly jobs: BackgroundJobs,
    private readonly people: UserContext,
    private readonly application: Application,
    private readonly clock: Clock,
  ) {}

  @RecurringJob('* * * * *')
  async startDue({ signal }: JobContext): Promise<void> {
    while (!signal.aborted && (await UnitOfWork.run(() => this.startSome())) === schedulesAtOnce);
  }

  @RecurringJob('41 3 * * *')
  async deleteOld({ signal }: JobContext): Promise<void> {
    for (let goesOn = true; goesOn && !signal.aborted; ) {
      const expired = await this.runs.expiredFiles(rowsAtOnce)
      for (const { id, blobName } of expired) {
        await this.blobs.delete(blobName)
        await this.runs.forgetFile(id)
      }
      goesOn = (await this.runs.deleteOld(rowsAtOnce)) === rowsAtOnce || expired.length === rowsAtOnce
    }
  }

  /**
   * Starts a run now, in the unit of work at hand. Answers its id. Throws when a run of the schedule is under way, and
   * after many of its owner.
   */
  async start(schedule: ExportSchedule): Promise<string> {
    if (!(await this.mayRun(schedule)))
      throw new BusinessError(ExportErrors.TooManyRuns, { most: mostExportRunsPerDay })
    const run = (await this.runs.isOpen(schedule.id))
      ? undefined
      : await this.runs.add(schedule, this.clock.now)
    if (!run) throw new BusinessError(ExportErrors.AlreadyRunning)
    await this.jobs.enqueue(new RunExportArgs({ runId: run.id }))
    return run.id
  }

  @JobHandler(RunExportArgs)
  async run({ runId }: RunExportArgs, job: JobContext): Promise<void> {
    const run = await this.runs.ofProgram(runId)
    if (run) await this.turns.take(run.userId, job, () => this.attempt(run, job.signal))
  }

  private async attempt(run: ExportRun, signal: AbortSignal): Promise<void> {
    const attempt = await this.runs.begin(run.id)
    if (attempt === undefined) return
    const schedule = await this.schedules.ofProgram(run.exportScheduleId)
    if (!schedule) {
      await this.runs.cancel(run.id)
      return
    }
    try {
      await this.people.runAs(
        actingOwner(schedule),
        () => this.write(run, schedule, signal),
        `job ${RunExportArgs.jobName}`,
      )
    } catch (error) {
      // The job is taken up again, by this process or another one.
      if (signal.aborted) throw error
      await this.failOrRepeat(run, schedule, { error, attempt })
    }
  }

  /** Writes the file, and ends the run with it. In the owner's name. */
  private async write(run: ExportRun, schedule: ExportSchedule, signal: AbortSignal): Promise<void> {
    demandPermission(ExportSchedulePermissions.View)
    demandDeliveryRights(schedule)
    const { entitySet: set, query, columns, maxRows: most, format, csvDelimiter, timeZone } = schedule
    const open = await this.sets.open({ set, query, columns, most })
    const file = spreadsheetFile(
      format === ExportFormat.Xlsx ? 'xlsx' : 'csv',
      exportFileName(schedule, run.scheduledTime),
      open.columns,
      open.rows,
      { delimiter: csvDelimiter, timeZone, sheetName: set },
    )
    const blobName = `app/exports/${run.id}`
    const { size } = await this.blobs
      .save(blobName, file.stream().pipeThrough(endedBy(signal)))
      .finally(() => open.close())
    const isSkipped = schedule.skipEmpty && open.count === 0
    const exported: ExportedFile = {
      query: open.source.query,
      columns: open.source.columns,
      scope: open.scope,
      rowCount: open.count,
      isTruncated: open.isTruncated,
      fileName: file.name,
      blobName: isSkipped ? null : blobName,
      fileSize: size,
      deliveryStatus: isSkipped ? ExportDeliveryStatus.NotNeeded : ExportDeliveryStatus.Pending,
    }
    signal.throwIfAborted()
    const isOurs = await UnitOfWork.run(async () => {
      if (!(await this.runs.succeed(run.id, exported))) return false
      await this.schedules.noteEnd(run, ExportRunStatus.Succeeded)
      if (!isSkipped) await this.deliveries.begin(run.id, schedule, exported)
      return true
    })
    // Without a record nobody could ever delete it. Another worker may have ended the run with the same file.
    const isKept = isOurs ? !isSkipped : (await this.runs.ofProgram(run.id))?.blobName === blobName
    if (!isKept) await this.blobs.delete(blobName)
  }

  /** A refusal will not pass by itself. Faults of the surroundings are tried again. */
  private async failOrRepeat(
    run: ExportRun,
    schedule: ExportSchedule,
    { error, attempt }: { readonly error: unknown; readonly attempt: number },
  ): Promise<void> {
    const { logger } = this.application
    const pauseMinutes = retryMinutes[attempt - 1]
    if (pauseMinutes !== undefined && !isRefusal(error)) {
      logger.warn({ err: error, exportRun: run.id, pauseMinutes }, 'an export failed, it will be tried again')
      await UnitOfWork.run(async () => {
        if (await this.runs.postpone(run.id))
          await this.jobs.enqueue(new RunExportArgs({ runId: run.id }), { delayMs: pauseMinutes * 60_000 })
      })
      return
    }
    if (!isRefusal(error)) logger.error({ err: error, exportRun: run.id }, 'an export failed')
    await UnitOfWork.run(async () => {
      if (await this.runs.fail(run.id, codeOf(error))) await this.deliveries.tellOfFailure(run, schedule)
    })
  }

  /** False for owners with many runs within a day: each run may send mails to others. */
  private async mayRun({ userId }: ExportSchedule): Promise<boolean> {
    return (await this.runs.countOfDay(userId)) < mostExportRunsPerDay
  }

  private async startSome(): Promise<number> {
    const due = await this.schedules.lockDue(schedulesAtOnce)
    const { now } = this.clock
    for (const schedule of due) {
      const time = latestMissed(schedule, schedule.nextRunTime ?? now, now)
      // An owner may move the time of a schedule again and again.
      const run = (await this.mayRun(schedule)) ? await this.runs.add(schedule, time) : undefined
      if (run) await this.jobs.enqueue(new RunExportArgs({ runId: run.id }))
      await this.schedules.setNext(schedule.id, nextRun(schedule, now))
    }
    return due.length
  }
}

function codeOf(error: unknown): string {
  const isOfOwner = error instanceof ForbiddenError || isActingError(error)
  if (isOfOwner) return ExportErrors.OwnerNotPermitted
  if (error instanceof BusinessError) return error.code ?? ExportErrors.Failed
  return isRefusal(error) ? ExportErrors.QueryInvalid : ExportErrors.Failed
}

/** The same bytes; fails when the job is to end. */
export function endedBy(signal: AbortSignal): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      signal.throwIfAborted()
      controller.enqueue(chunk)
    },
  })
}
