import { AutoApiController } from '@keel/framework'
import { CrudService } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { CarrierAppService, CarrierPermissions, VesselAppService } from '../contracts/index.js'
import { Carrier, Vessel } from '../domain/carrier.js'

@AutoApiController(CarrierAppService)
@RequiresPermission(CarrierPermissions)
export class CarrierService extends CrudService(CarrierAppService, Carrier, {
  searchIn: ['code', 'name', 'scacCode'],
  defaultSorting: 'name',
  checksReferences: true,
}) {}

@AutoApiController(VesselAppService)
@RequiresPermission(CarrierPermissions)
export class VesselService extends CrudService(VesselAppService, Vessel, {
  searchIn: ['name', 'imoNumber'],
  defaultSorting: 'name',
  filterBy: ['carrierId'],
  lookup: { code: 'name' },
  checksReferences: true,
}) {}
