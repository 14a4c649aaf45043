import { Logger, Provides, Settings, type SettingValues } from '@keel/framework'
import { faultOf, type SettingDefinition, settingText, ValidationError } from '@keel/framework/contracts'
import { type Database, Databases, entityMeta, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { type SettingInput, StoredSettings } from '../contracts/index.js'
import { longestValue, Setting } from '../domain/setting.js'
import { SettingEncryption } from './setting-encryption.js'

/** The holder of values: all users together, or one user. */
export type SettingHolder =
  | { readonly providerName: 'G'; readonly providerKey: null }
  | { readonly providerName: 'U'; readonly providerKey: string }

/** Everybody. */
export const everybody: SettingHolder = { providerName: 'G', providerKey: null }

/** A user. */
export const userOf = (userId: string): SettingHolder => ({
  providerName: 'U',
  providerKey: userId.toLowerCase(),
})

/** Reads and writes `AbpSettings`. Statements rather than rows: what is asked for are sets of values. */
@Provides(StoredSettings)
export class SettingTable extends StoredSettings {
  readonly database: Database
  readonly table = entityMeta(Setting).table

  constructor(
    databases: Databases,
    private readonly settings: Settings,
    private readonly encryption: SettingEncryption,
    private readonly logger: Logger,
  ) {
    super()
    this.database = databases.of(Setting)
  }

  async setForEverybody(values: SettingInput): Promise<void> {
    const given = this.texts(values).map(
      ([name, text]) => [name, text === this.settings.statedValueOf(name) ? null : text] as const,
    )
    await this.write(everybody, given)
  }

  async setForUser(userId: string, values: SettingInput): Promise<void> {
    await this.write(userOf(userId), this.texts(values))
  }

  /**
   * The stored values of one holder. Values that can't be decrypted, or that their setting can't have, are
   * left out and logged.
   */
  async read(holder: SettingHolder): Promise<SettingValues> {
    const rows = await this.database.query<{ name: string; value: string }>(sql`
      select "Name" as name, "Value" as value from "AbpSettings"
      where "ProviderName" = ${holder.providerName} and "ProviderKey" is not distinct from ${holder.providerKey}::text`)
    const values = new Map<string, string>()
    for (const { name, value } of rows) {
      const definition = this.settings.definitionOf(name)
      if (!definition) continue
      const text = definition.isEncrypted ? this.encryption.decrypt(value, placeOf(name, holder)) : value
      const read = text === undefined ? undefined : definition.read(text)
      if (read === undefined)
        this.logger.warn({ setting: name, ...holder }, 'a stored setting can not be read')
      else values.set(name, read)
    }
    return values
  }

  /** Values as their settings keep them. Throws for all invalid values together. */
  private texts(values: SettingInput): (readonly [name: string, text: string | null])[] {
    const texts = Object.entries(values).map(([name, value]) => {
      const definition = this.definition(name)
      return [name, value === null ? null : definition.read(settingText(value))] as const
    })
    const refused = texts.filter(([, text]) => text === undefined)
    if (refused.length)
      throw new ValidationError(
        refused.map(([name]) => faultOf(name, 'SettingManagement:Validation:Value', { setting: name })),
      )
    return texts.map(([name, text]) => [name, text ?? null])
  }

  private definition(name: string): SettingDefinition {
    const definition = this.settings.definitionOf(name)
    if (!definition) throw new Error(`There is no setting ${name}: list it in settings of a module`)
    return definition
  }

  private async write(
    holder: SettingHolder,
    texts: readonly (readonly [name: string, text: string | null])[],
  ): Promise<void> {
    const { providerName, providerKey } = holder
    const cleared = texts.filter(([, text]) => text === null).map(([name]) => name)
    const kept = texts.flatMap(([name, text]) =>
      text === null ? [] : [[name, this.storedText(name, text, holder)] as const],
    )
    await UnitOfWork.run(async () => {
      if (cleared.length)
        await this.database.execute(sql`
          delete from "AbpSettings"
          where "Name" = any(${cleared}::text[]) and "ProviderName" = ${providerName}
            and "ProviderKey" is not distinct from ${providerKey}::text`)
      if (kept.length)
        await this.database.execute(sql`
          insert into "AbpSettings" ("Id", "Name", "Value", "ProviderName", "ProviderKey")
          select id, name, value, ${providerName}::text, ${providerKey}::text
          from unnest(${kept.map(() => sequentialGuid())}::uuid[], ${kept.map(([name]) => name)}::text[],
            ${kept.map(([, value]) => value)}::text[]) as given(id, name, value)
          on conflict ("Name", "ProviderName", "ProviderKey") do update set "Value" = excluded."Value"`)
      UnitOfWork.current?.changed(this.database, this.table)
    })
  }

  private storedText(name: string, text: string, holder: SettingHolder): string {
    const stored = this.definition(name).isEncrypted
      ? this.encryption.encrypt(text, placeOf(name, holder))
      : text
    if (stored.length > longestValue)
      throw new ValidationError([faultOf(name, 'SettingManagement:Validation:TooLong', { setting: name })])
    return stored
  }
}

function placeOf(name: string, { providerName, providerKey }: SettingHolder): string {
  return [name, providerName, providerKey ?? ''].join('|')
}
