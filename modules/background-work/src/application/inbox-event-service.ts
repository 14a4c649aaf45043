import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { RequiresPermission } from '@keel/framework/security'
import {
  BackgroundWorkErrors,
  BackgroundWorkPermissions,
  type EventBoxDto,
  InboxEventAppService,
  type InboxEventListInput,
  type ReplayEventsInput,
  type ReplayedEventsDto,
} from '../contracts/index.js'
import { EventBoxes } from '../persistence/event-boxes.js'

@AutoApiController(InboxEventAppService)
@RequiresPermission(BackgroundWorkPermissions.Events)
export class InboxEventService implements InboxEventAppService {
  constructor(private readonly boxes: EventBoxes) {}

  getList(input: InboxEventListInput) {
    return this.boxes.page(input)
  }

  async getBoxes(): Promise<{ items: EventBoxDto[] }> {
    return { items: await this.boxes.boxes() }
  }

  @RequiresPermission(BackgroundWorkPermissions.ManageEvents)
  async replay(id: string): Promise<void> {
    if (!(await this.boxes.replayOne(id))) throw notDiscarded(id)
  }

  @RequiresPermission(BackgroundWorkPermissions.ManageEvents)
  async replayMany(input: ReplayEventsInput): Promise<ReplayedEventsDto> {
    return { count: await this.boxes.replay(input) }
  }

  @RequiresPermission(BackgroundWorkPermissions.ManageEvents)
  async delete(id: string): Promise<void> {
    if (!(await this.boxes.deleteOne(id))) throw notDiscarded(id)
  }
}

const notDiscarded = (id: string): BusinessError =>
  new BusinessError(BackgroundWorkErrors.EventNotDiscarded, { id })
