import { AutoApiController } from '@keel/framework'
import { CrudService } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { CodeEntityPermissions, ContainerTypeAppService } from '../contracts/index.js'
import { ContainerType } from '../domain/container-type.js'

@AutoApiController(ContainerTypeAppService)
@RequiresPermission(CodeEntityPermissions)
export class ContainerTypeService extends CrudService(ContainerTypeAppService, ContainerType, {
  searchIn: ['isoCode', 'alias', 'name'],
  defaultSorting: 'isoCode',
  lookup: { code: 'isoCode' },
}) {}
