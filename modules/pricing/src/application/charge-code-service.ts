import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { CrudService } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  ChargeCodeAppService,
  type ChargeCodeDto,
  type ChargeCodeInput,
  ChargeCodePermissions,
  PricingErrors,
} from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'
import { isChargeCodeUsed } from '../persistence/charge-code-queries.js'

@AutoApiController(ChargeCodeAppService)
@RequiresPermission(ChargeCodePermissions)
export class ChargeCodeService extends CrudService(ChargeCodeAppService, ChargeCode, {
  searchIn: ['code', 'name'],
  defaultSorting: 'sortOrder, code',
}) {
  /** Rates and charges mean what their code and group say (domain model, section 6.3). */
  override async update(id: string, input: ChargeCodeInput): Promise<ChargeCodeDto> {
    const { code, chargeGroup } = await this.store.get(id)
    const isOther = input.code !== code || input.chargeGroup !== chargeGroup
    if (isOther && (await isChargeCodeUsed(this.store.database, id)))
      throw new BusinessError(PricingErrors.ChargeCodeInUse, { code })
    return super.update(id, input)
  }
}
