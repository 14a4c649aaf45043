import { AutoApiController, Settings } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { ReferenceSets } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { StoredSettings } from '@keel/setting-management/contracts'
import {
  PricingErrors,
  PricingSettingPermissions,
  PricingSettings,
  PricingSettingsAppService,
  type PricingSettingsDto,
} from '../contracts/index.js'
import { Currency } from '../domain/currency.js'

const { MaxRateAgeDays, PivotCurrency, MinMarginPercent, QuoteValidityDays } = PricingSettings
const { AllowNegativeFuel, SellerName, SellerAddress } = PricingSettings

@AutoApiController(PricingSettingsAppService)
@RequiresPermission(PricingSettingPermissions.SettingManagement)
export class PricingSettingsService implements PricingSettingsAppService {
  constructor(
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
    private readonly references: ReferenceSets,
  ) {}

  async get(): Promise<PricingSettingsDto> {
    return {
      maxRateAgeDays: Number(await this.settings.valueOf(MaxRateAgeDays.name)),
      pivotCurrency: (await this.settings.valueOf(PivotCurrency.name)) ?? '',
      minMarginPercent: Number(await this.settings.valueOf(MinMarginPercent.name)),
      quoteValidityDays: Number(await this.settings.valueOf(QuoteValidityDays.name)),
      allowNegativeFuel: await this.settings.isOn(AllowNegativeFuel),
      sellerName: (await this.settings.valueOf(SellerName.name)) || null,
      sellerAddress: (await this.settings.valueOf(SellerAddress.name)) || null,
    }
  }

  async update({ maxRateAgeDays, pivotCurrency: code, ...others }: PricingSettingsDto): Promise<void> {
    const { minMarginPercent, quoteValidityDays, allowNegativeFuel, sellerName, sellerAddress } = others
    const currencies = await this.references.matching(Currency, 'code', [code])
    if (!currencies.idsBy('code', code).length)
      throw new BusinessError(PricingErrors.CurrencyUnknown, { code })
    await this.stored.setForEverybody({
      ...{ [MaxRateAgeDays.name]: maxRateAgeDays, [PivotCurrency.name]: code },
      ...(minMarginPercent !== undefined && { [MinMarginPercent.name]: minMarginPercent }),
      ...(quoteValidityDays !== undefined && { [QuoteValidityDays.name]: quoteValidityDays }),
      ...(allowNegativeFuel !== undefined && { [AllowNegativeFuel.name]: allowNegativeFuel }),
      ...(sellerName !== undefined && { [SellerName.name]: sellerName ?? '' }),
      ...(sellerAddress !== undefined && { [SellerAddress.name]: sellerAddress ?? '' }),
    })
  }
}
