import { Provides, SettingSource } from '@keel/framework'
import { z } from '@keel/framework/contracts'
import { compareTexts } from '@keel/framework/data'
import {
  type ExternalProvider,
  ExternalProviders,
  externalProviderOf,
  externalProviderSetting,
  StoredSettings,
} from '../contracts/index.js'

const stored = z.object({
  enabled: z.boolean(),
  properties: z.record(z.string(), z.string()),
  secretProperties: z.record(z.string(), z.string()),
})

/** Keeps each external provider as JSON in a setting of its own: together they would not fit into ABP's column. */
@Provides(ExternalProviders)
export class StoredExternalProviders extends ExternalProviders {
  constructor(
    private readonly source: SettingSource,
    private readonly settings: StoredSettings,
  ) {
    super()
  }

  async all(): Promise<ExternalProvider[]> {
    const values = [...(await this.source.global())]
    return values
      .flatMap(([setting, value]) => {
        const name = externalProviderOf(setting)
        return name === undefined ? [] : [{ name, ...stored.parse(JSON.parse(value)) }]
      })
      .sort((a, b) => compareTexts(a.name, b.name))
  }

  async replace(providers: readonly ExternalProvider[]): Promise<void> {
    const before = (await this.all()).map(({ name }) => [externalProviderSetting(name), null] as const)
    const after = providers.map(
      ({ name, ...values }) => [externalProviderSetting(name), JSON.stringify(values)] as const,
    )
    await this.settings.setForEverybody(Object.fromEntries([...before, ...after]))
  }
}
