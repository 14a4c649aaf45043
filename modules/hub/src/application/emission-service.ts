import { AutoApiController } from '@keel/framework'
import { BusinessError, faultOf, type ImplementationOf, ValidationError } from '@keel/framework/contracts'
import { CrudService, JsonView, PageReader } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  EmissionFactorAppService,
  EmissionFactorPermissions,
  EmissionPermissions,
  type OfShipmentListInput,
  ShipmentEmissionAppService,
  ShipmentEmissionDto,
  ShipmentEmissionPage,
} from '../contracts/index.js'
import { EmissionFactor, ShipmentEmission } from '../domain/emission.js'
import { isCurrentEmission } from '../persistence/emission-stores.js'
import { ShipmentStore } from '../persistence/stores.js'
import { ShipmentEmissions } from './shipment-emissions.js'
import { ShipmentParents } from './shipment-parents.js'

@AutoApiController(EmissionFactorAppService)
@RequiresPermission(EmissionFactorPermissions)
export class EmissionFactorService extends CrudService(EmissionFactorAppService, EmissionFactor, {
  searchIn: ['code', 'vehicleClass', 'source'],
  defaultSorting: 'code',
  filterBy: ['transportModeId'],
  checksReferences: true,
}) {}

const view = new JsonView(ShipmentEmission, ShipmentEmissionDto, {})
const mostLegs = 200

@AutoApiController(ShipmentEmissionAppService)
@RequiresPermission(EmissionPermissions)
export class ShipmentEmissionService implements ImplementationOf<typeof ShipmentEmissionAppService> {
  constructor(
    private readonly pages: PageReader,
    private readonly shipments: ShipmentStore,
    private readonly parents: ShipmentParents,
    private readonly emissions: ShipmentEmissions,
  ) {}

  get(id: string): Promise<ShipmentEmissionDto> {
    return this.pages.one(ShipmentEmissionDto, view, id)
  }

  async getList({ shipmentId, ...input }: OfShipmentListInput): Promise<ShipmentEmissionPage> {
    // Without a shipment every row of every shipment would have to be counted.
    if (!shipmentId && !(await this.parents.seesAll()))
      throw new ValidationError([faultOf('shipmentId', 'Hub:Validation:OfWhatShipment')])
    const conditions = view.equal({ shipmentId })
    const defaultSorting = 'calculationTime DESC, sequence'
    return this.pages.page(ShipmentEmissionPage, view, { ...input, conditions, defaultSorting })
  }

  @RequiresPermission(EmissionPermissions.Recalculate)
  async recalculate(id: string): Promise<ShipmentEmissionDto[]> {
    const { shipmentReference } = await this.shipments.get(id)
    const refusal = await this.emissions.recalculate(id)
    if (refusal) throw new BusinessError(refusal, { shipmentReference })
    const conditions = [...view.equal({ shipmentId: id }), isCurrentEmission]
    return this.pages.array(ShipmentEmissionDto, view, {
      conditions,
      maxResultCount: mostLegs,
      defaultSorting: 'sequence',
    })
  }
}
