import { AutoApiController, computedResult } from '@keel/framework'
import {
  BusinessError,
  faultOf,
  type LookupDto,
  type LookupInput,
  ValidationError,
} from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, RowRules } from '@keel/framework/data'
import { Authenticated, RequiresPermission } from '@keel/framework/security'
import {
  CodeEntityPermissions,
  ConvertedUnitDto,
  type ConvertUnitDto,
  HubErrors,
  UnitOfMeasureAppService,
  type UnitOfMeasureDto,
  type UnitOfMeasureInput,
  UnitQuantity,
} from '../contracts/index.js'
import { convertedValue, isSameUnit, UnitOfMeasure } from '../domain/unit-of-measure.js'
import { isUnitUsed } from '../persistence/code-entity-queries.js'
import { UnitOfMeasureStore } from '../persistence/unit-of-measure-store.js'

@AutoApiController(UnitOfMeasureAppService)
@RequiresPermission(CodeEntityPermissions)
export class UnitOfMeasureService extends CrudService(UnitOfMeasureAppService, UnitOfMeasure, {
  searchIn: ['code', 'name', 'symbol'],
  defaultSorting: 'quantity, code',
  filterBy: ['quantity'],
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly units: UnitOfMeasureStore,
  ) {
    super(databases, rules, pages)
  }

  /** For everybody: forms of orders and cargo offer units. */
  @Authenticated()
  override getLookup(input: LookupInput): Promise<LookupDto[]> {
    return super.getLookup(input)
  }

  override async update(id: string, input: UnitOfMeasureInput): Promise<UnitOfMeasureDto> {
    const row = await this.store.get(id)
    if (!isSameUnit(row, input) && (await isUnitUsed(this.store.database, row.code)))
      throw new BusinessError(HubErrors.UnitInUse, { code: row.code })
    return super.update(id, input)
  }

  /** Deactivated units too: rows may have values in them. */
  @RequiresPermission(CodeEntityPermissions.View)
  async convert({ value, from, to }: ConvertUnitDto): Promise<ConvertedUnitDto> {
    const units = await this.units.withCodes([from, to])
    const unitOf = (wanted: string) => units.find(({ code }) => code === wanted)
    const [unit, target] = [unitOf(from), unitOf(to)]
    const faults = Object.entries({ from: unit, to: target }).flatMap(([member, found]) =>
      found ? [] : [faultOf(member, 'Hub:Validation:NoSuchUnit')],
    )
    if (!unit || !target) throw new ValidationError(faults)
    if (unit.quantity !== target.quantity)
      throw new BusinessError(HubErrors.UnitQuantityMismatch, {
        ...{ from, fromQuantity: UnitQuantity[unit.quantity] },
        ...{ to, toQuantity: UnitQuantity[target.quantity] },
      })
    return computedResult(ConvertedUnitDto, { value: convertedValue(value, unit, target), unitCode: to })
  }
}
