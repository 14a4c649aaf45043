import { BlobStore } from '../blobs/blob-store.js'
import {
  type AnyAppService,
  BusinessError,
  ConcurrencyError,
  EntityNotFoundError,
  type FileContent,
  ForbiddenError,
  featureOf,
  type ImportDto,
  ImportErrors,
  ImportStatus,
  KeelError,
  manageJobsPermission,
  type TextReference,
  UnavailableError,
  ValidationError,
  z,
} from '../contracts/index.js'
import { Locks } from '../data/connections/locks.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { sequentialGuid } from '../data/entities/guid.js'
import { ReferenceSets } from '../data/lists/reference-sets.js'
import {
  type ImportingService,
  type ImportJob,
  type ImportPage,
  type ImportRequest,
  Imports,
  type ImportTarget,
} from '../data/stores/imports.js'
import { BackgroundJobs, type JobState } from '../jobs/background-jobs.js'
import { type AnyJobArgs, ContractJobHandler, JobAbandoned, JobArgs } from '../jobs/job-handler.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable, Provides } from '../modularity/injectable.js'
import type { LocalService } from '../modularity/service-bindings.js'
import { admission, hasPermission } from '../security/authorization.js'
import { UserContext } from '../security/user-context.js'
import { spreadsheetFile } from '../spreadsheets/index.js'
import { ImportColumns } from './import-columns.js'
import { type ImportRecord, ImportRecords } from './import-records.js'
import { ImportRun } from './import-run.js'
import { ImportSettings } from './import-settings.js'

const jobPrefix = 'Import.'
const longestFileName = 256
const kinds = new WeakMap<AnyAppService, AnyJobArgs>()

/** The kind of job that imports files into the list of a contract: `Import.Hub.Port`. It runs in the caller's name. */
function importJobOf(service: AnyAppService): AnyJobArgs {
  const { contract } = service
  const known = kinds.get(service)
  if (known) return known
  const name = `${jobPrefix}${contract.service.name}.${featureOf(contract.name)}`
  const kind = JobArgs(name, { importId: z.guid() }, { runsAs: 'user', maxTries: 5, isLong: true })
  kinds.set(service, kind)
  return kind
}

/** Keeps files in the blob store, and imports them by background jobs, each in one unit of work. */
@Injectable()
@Provides(Imports)
export class FileImports extends Imports {
  private readonly settings
  private readonly columns = new WeakMap<AnyAppService, ImportColumns>()

  constructor(
    private readonly application: Application,
    private readonly references: ReferenceSets,
    private readonly blobs: BlobStore,
    private readonly jobs: BackgroundJobs,
    private readonly locks: Locks,
  ) {
    super()
    this.settings = application.configuration.read(ImportSettings)
  }

  /** Runs in the unit of work of its operation: the record and the job exist together. */
  async start(target: ImportTarget, { file, dryRun, encoding }: ImportRequest): Promise<ImportDto> {
    this.demandRights(target)
    const creatorId = this.application.get(UserContext).actingFor().userId
    const id = sequentialGuid()
    const { service, name } = target.contract.contract
    const blobName = `imports/${service.name.toLowerCase()}/${id}`
    // Beside the unit of work, which commits databases in the order of their first use.
    await UnitOfWork.apart(() => this.refuseTooMany(creatorId))
    await this.blobs.save(blobName, file.stream())
    UnitOfWork.current?.onRolledBack(() => this.blobs.delete(blobName))
    const records = new ImportRecords(target.store.database)
    const fileName = file.name.replaceAll('\0', '').slice(0, longestFileName)
    const contract = `${service.name}.${name}`
    // Before the job, so that the record is committed first.
    await records.add({ id, contract, fileName, blobName, encoding, isDryRun: dryRun, creatorId })
    await this.locks.hold(`${jobPrefix}${creatorId}`, { database: this.jobs.database })
    await this.refuseTooMany(creatorId)
    const Args = importJobOf(target.contract)
    await records.setJob(id, await this.jobs.enqueue(new Args({ importId: id })))
    return this.get(target, id)
  }

  async list(
    target: ImportTarget,
    input: { readonly skipCount: number; readonly maxResultCount: number },
  ): Promise<ImportPage> {
    const stored = new ImportRecords(target.store.database)
    const owner = this.ownerOf(target)
    let totalCount = 0
    const items = await this.told(async () => {
      const page = await stored.page(owner, input)
      totalCount = page.totalCount
      return page.records
    })
    return { totalCount, items: items.map((item) => ({ ...item, faults: null })) }
  }

  async get(target: ImportTarget, id: string): Promise<ImportDto> {
    const [told] = await this.told(async () => [await this.recordOf(target, id)])
    return told as ImportDto
  }

  async faults(target: ImportTarget, id: string): Promise<FileContent> {
    const { faults } = await this.get(target, id)
    const { localization } = this.application
    const { culture } = ambient()
    const kinds = { row: 'number', column: 'text', value: 'text', message: 'text', code: 'text' } as const
    const columns = Object.fromEntries(
      Object.entries(kinds).map(([name, kind]) => {
        const header = localization.find(`Import:Header.${name}`, culture) ?? name
        return [name, { header, kind }]
      }),
    )
    return spreadsheetFile(
      'csv',
      `import-faults-${id}`,
      columns,
      (faults ?? []).map((fault) => ({ ...fault })),
    )
  }

  async cancel(target: ImportTarget, id: string): Promise<void> {
    const { jobId } = await this.recordOf(target, id)
    if (!jobId || !(await this.jobs.cancel(jobId))) throw new BusinessError(ImportErrors.IsOver, { id })
  }

  async template(
    target: ImportTarget,
    { format }: { readonly format: 'xlsx' | 'csv' },
  ): Promise<FileContent> {
    const columns = this.columnsOf(target).headed(this.application.localization, ambient().culture)
    return spreadsheetFile(format, `${target.sheet.fileName}-template`, columns, [])
  }

  @ContractJobHandler(({ contract }) =>
    contract.contract.operations.has('import') ? importJobOf(contract) : undefined,
  )
  runJob(
    { importId }: { readonly importId: string },
    job: ImportJob,
    { service }: LocalService,
  ): Promise<void> {
    const { importTarget } = this.application.get(service) as ImportingService
    return this.run(importTarget, importId, job)
  }

  /** Writes the rows of an import, or all of its faults. Runs in the name of the person whose import it is. */
  private async run(target: ImportTarget, id: string, job: ImportJob): Promise<void> {
    const records = new ImportRecords(target.store.database)
    const record = await records.find(id, this.ownerOf(target))
    // Tried again: the record may be committed a moment after the job.
    if (!record) throw new Error(`The import ${id} is not there.`)
    if (record.status !== null) return
    const { application, references } = this
    const { maxRows } = this.settings
    const columns = this.columnsOf(target)
    const run = new ImportRun({ application, references, target, columns, record, maxRows, job })
    const takenBack = new Error('nothing is written')
    try {
      this.demandRights(target)
      const file = await this.fileOf(record)
      await UnitOfWork.run(async () => {
        await run.run(file)
        job.signal.throwIfAborted()
        if (run.hasFaults || record.isDryRun) throw takenBack
        if (!(await records.close(id, run.outcome))) throw takenBack
      })
      return
    } catch (error) {
      if (error !== takenBack) noteRefusal(run, error)
    }
    await UnitOfWork.run(() => records.close(id, run.outcome))
  }

  private async refuseTooMany(creatorId: string): Promise<void> {
    const { maxUnfinished } = this.settings
    if ((await this.jobs.countOpen(jobPrefix, creatorId)) >= maxUnfinished)
      throw new BusinessError(ImportErrors.TooManyUnfinished, { most: maxUnfinished })
  }

  /** An import adds and changes rows, whichever its file has. */
  private demandRights(target: ImportTarget): void {
    for (const operation of ['create', 'update', 'import'])
      admission(this.localOf(target).service, operation)?.()
  }

  private localOf({ contract }: ImportTarget): LocalService {
    const local = this.application.localServices.find((service) => service.contract === contract)
    if (!local) throw new ForbiddenError()
    return local
  }

  private columnsOf(target: ImportTarget): ImportColumns {
    let columns = this.columns.get(target.contract)
    if (!columns) {
      columns = new ImportColumns(target, this.localOf(target).module.name, this.application.ownFields)
      this.columns.set(target.contract, columns)
    }
    return columns
  }

  private ownerOf({ contract: { contract } }: ImportTarget): {
    contract: string
    creatorId: string | undefined
  } {
    const { principal } = ambient()
    const seesAll =
      this.application.permissions.has(manageJobsPermission) && hasPermission(manageJobsPermission)
    return {
      contract: `${contract.service.name}.${contract.name}`,
      // Nobody without an id has imports.
      creatorId: seesAll ? undefined : (principal.userId ?? sequentialGuid()),
    }
  }

  private async recordOf(target: ImportTarget, id: string): Promise<ImportRecord> {
    const record = await new ImportRecords(target.store.database).find(id, this.ownerOf(target))
    if (!record) throw new EntityNotFoundError('Import', id)
    return record
  }

  private async fileOf({ blobName, fileName }: ImportRecord): Promise<FileContent> {
    const blob = await this.blobs.find(blobName)
    if (!blob) throw new JobAbandoned(`The file ${blobName} is not there.`)
    return {
      name: fileName,
      type: '',
      size: blob.size,
      stream: () => blob.stream(),
      slice: (start, end) => blob.slice(start, end),
    }
  }

  /** Imports with the states of their jobs. A run closes its import before its job is over: one that seems to have failed is read again. */
  private async told(read: () => Promise<readonly ImportRecord[]>): Promise<ImportDto[]> {
    const records = await read()
    const open = records.filter(({ status }) => status === null)
    const jobs = await this.jobs.statesOf(open.flatMap(({ jobId }) => jobId ?? []))
    const isOver = open.some(({ jobId }) => jobs.get(jobId ?? '')?.isOver)
    return (isOver ? await read() : records).map((record) => this.dtoOf(record, jobs.get(record.jobId ?? '')))
  }

  private dtoOf(record: ImportRecord, job: JobState | undefined): ImportDto {
    const { localization } = this.application
    const { culture } = ambient()
    const status = record.status ?? statusOf(job)
    const failed: TextReference = { key: ImportErrors.Failed }
    const faults =
      status === ImportStatus.Failed
        ? [{ row: null, column: null, value: null, code: failed.key, message: failed.key, text: failed }]
        : record.faults
    return {
      id: record.id,
      fileName: record.fileName,
      isDryRun: record.isDryRun,
      status,
      progress: record.status === null ? (job?.progress ?? 0) : 100,
      creationTime: record.creationTime,
      creatorId: record.creatorId,
      completionTime: record.completionTime,
      rowCount: record.rowCount,
      insertedCount: record.insertedCount,
      updatedCount: record.updatedCount,
      faultCount: record.faultCount,
      ignoredColumns: [...record.ignoredColumns],
      faults: faults.map(({ row, column, value, code, message, text }) => {
        const told = text && localization.find(text.key, culture, text.data)
        return { row, column, value, code, message: told ?? message }
      }),
    }
  }
}

/** The state of an import that its run has not closed. */
function statusOf(job: JobState | undefined): ImportStatus {
  if (job?.isCancelled) return ImportStatus.Cancelled
  if (!job || job.isOver) return ImportStatus.Failed
  return job.isRunning ? ImportStatus.Running : ImportStatus.Waiting
}

/** A rule that refuses the import as a whole closes it; what may pass by itself is thrown on, so that the job is tried again. */
function noteRefusal(run: ImportRun, error: unknown): void {
  if (!(error instanceof KeelError) || error instanceof UnavailableError || error instanceof ConcurrencyError)
    throw error
  if (error instanceof ValidationError)
    for (const { message, text } of error.validationErrors)
      run.refuse(text?.key ?? 'ThisFieldIsNotValid.', text ?? { key: message }, message)
  else {
    const { code = 'Forbidden', data, message } = error
    run.refuse(code, error.text ?? { key: code, ...(data && { data }) }, message)
  }
}
