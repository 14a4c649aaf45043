import { AutoApiController } from '@keel/framework'
import { CrudService } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { ChargeCodeAppService, ChargeCodePermissions } from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'

@AutoApiController(ChargeCodeAppService)
@RequiresPermission(ChargeCodePermissions)
export class ChargeCodeService extends CrudService(ChargeCodeAppService, ChargeCode, {
  searchIn: ['code', 'name'],
  defaultSorting: 'sortOrder, code',
}) {}
