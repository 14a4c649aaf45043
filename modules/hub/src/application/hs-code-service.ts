import { AutoApiController } from '@keel/framework'
import {
  BusinessError,
  faultOf,
  LookupDto,
  type LookupInput,
  pageLimits,
  ValidationError,
} from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  JsonView,
  type NewRow,
  PageReader,
  RowRules,
  type Sql,
} from '@keel/framework/data'
import { Authenticated, RequiresPermission } from '@keel/framework/security'
import {
  CodeEntityPermissions,
  HsCodeAppService,
  HsCodeDto,
  type HsCodeInput,
  type HsCodeListInput,
  HubErrors,
} from '../contracts/index.js'
import { HsCode, parentCodeOf } from '../domain/hs-code.js'
import { descriptionAsName, hsCodesLike, isHsCodeUsed } from '../persistence/hs-code-queries.js'
import { HsCodeStore } from '../persistence/hs-code-store.js'

const lookupView = new JsonView(HsCode, LookupDto, { members: descriptionAsName })

@AutoApiController(HsCodeAppService)
@RequiresPermission(CodeEntityPermissions)
export class HsCodeService extends CrudService(HsCodeAppService, HsCode, {
  defaultSorting: 'code',
  filterBy: ['level', 'parentId'],
  lookup: { name: 'description' },
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly codes: HsCodeStore,
  ) {
    super(databases, rules, pages)
  }

  override listConditions(input: HsCodeListInput | LookupInput): readonly Sql[] {
    return [...super.listConditions(input), ...(input.filter ? [hsCodesLike(input.filter)] : [])]
  }

  /** For everybody: forms of orders and cargo offer codes. It finds them as the list does. */
  @Authenticated()
  override getLookup(input: LookupInput): Promise<LookupDto[]> {
    const { maxResultCount } = input
    const conditions = this.listConditions(input)
    return this.pages.array(LookupDto, lookupView, { maxResultCount, conditions, defaultSorting: 'code' })
  }

  @RequiresPermission(CodeEntityPermissions.View)
  async getChildren(id: string): Promise<HsCodeDto[]> {
    const maxResultCount = pageLimits.most
    const children = await this.pages.array(HsCodeDto, this.view, {
      conditions: [...this.listConditions({ maxResultCount }), ...this.view.equal({ parentId: id })],
      maxResultCount,
      defaultSorting: 'code',
    })
    // An unknown code has none either.
    if (!children.length) await this.store.get(id)
    return children
  }

  override async create(input: HsCodeInput): Promise<HsCodeDto> {
    return super.create({ ...input, ...(await this.placeOf(input.code)) })
  }

  override async update(id: string, input: HsCodeInput): Promise<HsCodeDto> {
    const row = await this.store.get(id)
    if (input.code === row.code) return super.update(id, input)
    if (await isHsCodeUsed(this.store.database, row))
      throw new BusinessError(HubErrors.HsCodeInUse, { code: row.code })
    return super.update(id, { ...input, ...(await this.placeOf(input.code)) })
  }

  /** The members that the digits of a code tell. Refuses a code whose heading or chapter is not there. */
  private async placeOf(code: string): Promise<NewRow<HsCode>> {
    const parentCode = parentCodeOf(code)
    if (parentCode === undefined) return { level: code.length, parentId: null }
    const [parent] = await this.codes.withCodes([parentCode])
    if (!parent) throw new ValidationError([faultOf('code', 'Hub:Validation:NoSuchHsParent', { parentCode })])
    return { level: code.length, parentId: parent.id }
  }
}
