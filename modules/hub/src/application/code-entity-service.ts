import { AutoApiController } from '@keel/framework'
import { BusinessError, type LookupDto } from '@keel/framework/contracts'
import { CrudService, type Sql } from '@keel/framework/data'
import { Authenticated, RequiresPermission } from '@keel/framework/security'
import {
  CodeEntityAppService,
  type CodeEntityDto,
  type CodeEntityFileInput,
  type CodeEntityInput,
  type CodeEntityListInput,
  type CodeEntityLookupInput,
  CodeEntityPermissions,
  HubErrors,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { isCodeEntityUsed, ofCodeEntityType } from '../persistence/code-entity-queries.js'
import { codeEntityNames } from '../persistence/reference/code-entities.js'

@AutoApiController(CodeEntityAppService)
@RequiresPermission(CodeEntityPermissions)
export class CodeEntityService extends CrudService(CodeEntityAppService, CodeEntity, {
  searchIn: ['code', 'name'],
  defaultSorting: 'type, code',
  sheet: { fileName: 'code-entities' },
  translated: codeEntityNames,
}) {
  /** For everybody: forms of many kinds offer code entities (domain model, section 6). */
  @Authenticated()
  override getLookup(input: CodeEntityLookupInput): Promise<LookupDto[]> {
    return super.getLookup(input)
  }

  override async update(id: string, input: CodeEntityInput): Promise<CodeEntityDto> {
    const row = await this.store.get(id)
    const renamed = input.type !== row.type || input.code !== row.code
    if (renamed && (await isCodeEntityUsed(this.store.database, id)))
      throw new BusinessError(HubErrors.CodeEntityInUse, { type: row.type, code: row.code })
    return super.update(id, input)
  }

  override listConditions(
    input: CodeEntityListInput | CodeEntityLookupInput | CodeEntityFileInput,
  ): readonly Sql[] {
    return [...super.listConditions(input), ...(input.type ? [ofCodeEntityType(input.type)] : [])]
  }
}
