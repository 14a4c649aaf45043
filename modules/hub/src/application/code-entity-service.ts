import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { CrudService, type Sql, sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  CodeEntityAppService,
  type CodeEntityDto,
  type CodeEntityInput,
  type CodeEntityListInput,
  CodeEntityPermissions,
  HubErrors,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'

@AutoApiController(CodeEntityAppService)
@RequiresPermission(CodeEntityPermissions)
export class CodeEntityService extends CrudService(CodeEntityAppService, CodeEntity, {
  searchIn: ['code', 'name'],
  defaultSorting: 'type, code',
}) {
  override async update(id: string, input: CodeEntityInput): Promise<CodeEntityDto> {
    const row = await this.store.get(id)
    const renamed = input.type !== row.type || input.code !== row.code
    if (renamed && (await this.isUsed(id)))
      throw new BusinessError(HubErrors.CodeEntityInUse, { type: row.type, code: row.code })
    return super.update(id, input)
  }

  override listConditions(input: CodeEntityListInput): readonly Sql[] {
    return [
      ...super.listConditions(input),
      ...(input.type ? [sql`lower(t."Type") = lower(${input.type})`] : []),
    ]
  }

  private async isUsed(id: string): Promise<boolean> {
    const [found] = await this.store.database.query<{ used: boolean }>(sql`
      select exists (select from "HubShipments" where ${id}::uuid in
          ("TransportModeId", "ContainerModeId", "IncotermId", "ServiceLevelId", "ReleaseTypeId", "PackageTypeId"))
        or exists (select from "HubOrders" where ${id}::uuid in ("IncotermId", "TransportModeId"))
        or exists (select from "HubDocuments" where "DocumentTypeId" = ${id}::uuid) as used`)
    return found?.used ?? false
  }
}
