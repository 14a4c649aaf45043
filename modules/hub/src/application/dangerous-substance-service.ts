import { AutoApiController } from '@keel/framework'
import { CrudService } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { CodeEntityPermissions, DangerousSubstanceAppService } from '../contracts/index.js'
import { DangerousSubstance } from '../domain/dangerous-substance.js'

@AutoApiController(DangerousSubstanceAppService)
@RequiresPermission(CodeEntityPermissions)
export class DangerousSubstanceService extends CrudService(DangerousSubstanceAppService, DangerousSubstance, {
  searchIn: ['unNumber', 'properShippingName'],
  defaultSorting: 'unNumber',
  lookup: { code: 'unNumber', name: 'properShippingName' },
}) {}
