import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { BackgroundJobs } from '@keel/framework/jobs'
import { RequiresPermission } from '@keel/framework/security'
import {
  BackgroundJobAppService,
  type BackgroundJobCountsDto,
  type BackgroundJobDto,
  type BackgroundJobListInput,
  BackgroundWorkErrors,
  BackgroundWorkPermissions,
} from '../contracts/index.js'
import { JobList } from '../persistence/job-list.js'

@AutoApiController(BackgroundJobAppService)
@RequiresPermission(BackgroundWorkPermissions.Jobs)
export class BackgroundJobService implements BackgroundJobAppService {
  constructor(
    private readonly list: JobList,
    private readonly jobs: BackgroundJobs,
  ) {}

  get(id: string): Promise<BackgroundJobDto> {
    return this.list.one(id)
  }

  getList(input: BackgroundJobListInput) {
    return this.list.page(input)
  }

  async getCounts(): Promise<BackgroundJobCountsDto> {
    const { waiting, running, abandoned } = await this.jobs.counts()
    return { waiting, running, abandoned }
  }

  @RequiresPermission(BackgroundWorkPermissions.ManageJobs)
  async cancel(id: string): Promise<void> {
    await this.list.one(id)
    if (!(await this.jobs.cancel(id))) throw new BusinessError(BackgroundWorkErrors.JobIsOver, { id })
  }

  @RequiresPermission(BackgroundWorkPermissions.ManageJobs)
  async retry(id: string): Promise<void> {
    await this.list.one(id)
    if (!(await this.jobs.retry(id))) throw new BusinessError(BackgroundWorkErrors.JobIsBusy, { id })
  }
}
