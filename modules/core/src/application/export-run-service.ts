import { AutoApiController, ambient, Clock } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import { BusinessError, type FileContent, pageOf } from '@keel/framework/contracts'
import { JsonView, PageReader } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { spreadsheetTypes } from '@keel/framework/spreadsheets'
import {
  ExportErrors,
  ExportRunAppService,
  ExportRunDto,
  type ExportRunListInput,
  ExportSchedulePermissions,
} from '../contracts/index.js'
import { ExportRun } from '../domain/export-schedule.js'
import { ExportRunStore } from '../persistence/export-schedules.js'
import { ExportFileRights } from './export-file-rights.js'

const Page = pageOf(ExportRunDto)
const view = new JsonView(ExportRun, ExportRunDto, {})

@AutoApiController(ExportRunAppService)
@RequiresPermission(ExportSchedulePermissions.View)
export class ExportRunService implements ExportRunAppService {
  constructor(
    private readonly runs: ExportRunStore,
    private readonly pages: PageReader,
    private readonly blobs: BlobStore,
    private readonly rights: ExportFileRights,
    private readonly clock: Clock,
  ) {}

  get(id: string): Promise<ExportRunDto> {
    return this.pages.one(ExportRunDto, view, id)
  }

  async getList({
    exportScheduleId,
    status,
    ...input
  }: ExportRunListInput): Promise<InstanceType<typeof Page>> {
    const conditions = view.equal({ exportScheduleId, status })
    return this.pages.page(Page, view, { ...input, defaultSorting: 'scheduledTime DESC', conditions })
  }

  @RequiresPermission(ExportSchedulePermissions.Edit)
  async cancel(id: string): Promise<void> {
    await this.runs.get(id)
    if (!(await this.runs.cancel(id))) throw new BusinessError(ExportErrors.IsOver)
  }

  async getFile(id: string): Promise<FileContent> {
    const run = await this.runs.get(id)
    if (run.userId !== ambient().principal.userId) throw new BusinessError(ExportErrors.NotOwner)
    const isKept = run.blobName && run.expirationTime > this.clock.now
    const blob = isKept ? await this.blobs.find(run.blobName ?? '') : undefined
    if (!blob) throw new BusinessError(ExportErrors.FileExpired)
    await this.rights.demand(run)
    const name = run.fileName ?? run.id
    return {
      name,
      type: name.endsWith('.xlsx') ? spreadsheetTypes.xlsx : `${spreadsheetTypes.csv}; charset=utf-8`,
      size: blob.size,
      stream: () => blob.stream(),
      slice: (start, end) => blob.slice(start, end),
    }
  }
}
