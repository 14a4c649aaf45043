import { AutoApiController, ambient } from '@keel/framework'
import { BusinessError, faultOf, type ImplementationOf, ValidationError } from '@keel/framework/contracts'
import { JsonView, PageReader } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CreateTrackingEventDto,
  type CreateTrackingEventsDto,
  type OfShipmentListInput,
  TrackingEventAppService,
  TrackingEventDto,
  TrackingEventPage,
  TrackingEventPermissions,
  type TrackingIntakeDto,
} from '../contracts/index.js'
import { TrackingEvent } from '../domain/tracking-event.js'
import { ShipmentParents } from './shipment-parents.js'
import { TrackingIntake } from './tracking-intake.js'

const view = new JsonView(TrackingEvent, TrackingEventDto, { searchIn: ['eventTypeCode', 'description'] })

@AutoApiController(TrackingEventAppService)
@RequiresPermission(TrackingEventPermissions)
export class TrackingEventService implements ImplementationOf<typeof TrackingEventAppService> {
  constructor(
    private readonly pages: PageReader,
    private readonly parents: ShipmentParents,
    private readonly intake: TrackingIntake,
  ) {}

  get(id: string): Promise<TrackingEventDto> {
    return this.pages.one(TrackingEventDto, view, id)
  }

  async getList(input: OfShipmentListInput): Promise<TrackingEventPage> {
    // Without a shipment every event of every shipment would have to be counted.
    if (!input.shipmentId && !(await this.parents.seesAll()))
      throw new ValidationError([faultOf('shipmentId', 'Hub:Validation:OfWhatShipment')])
    const conditions = view.equal({ shipmentId: input.shipmentId })
    return this.pages.page(TrackingEventPage, view, {
      ...input,
      conditions,
      defaultSorting: 'eventTime DESC',
    })
  }

  async create(event: CreateTrackingEventDto): Promise<TrackingIntakeDto> {
    const { refusals, ...taken } = await this.intake.take([event])
    for (const { refusal } of refusals) throw new BusinessError(refusal.code, refusal.data)
    return { ...taken, rejected: [] }
  }

  @RequiresPermission(TrackingEventPermissions.Create)
  async createMany({ events }: CreateTrackingEventsDto): Promise<TrackingIntakeDto> {
    const { refusals, ...taken } = await this.intake.take(events)
    const rejected = refusals.map(({ index, refusal }) => {
      const { code, data } = refusal
      return { index, code, message: this.textOf(code, data) }
    })
    return { ...taken, rejected }
  }

  /** The text of a code in the caller's language, with its data filled in. */
  private textOf(code: string, data: Readonly<Record<string, unknown>>): string {
    const text = this.pages.localization.find(code, ambient().culture) ?? code
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(data[name] ?? whole))
  }
}
