import { Features, type FeatureValues, Logger, Provides } from '@keel/framework'
import { BusinessError, type FeatureDefinition } from '@keel/framework/contracts'
import { type Database, Databases, entityMeta, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { FeatureErrors, type FeatureHolder, type FeatureInput, StoredFeatures } from '../contracts/index.js'
import { FeatureValue } from '../domain/feature-value.js'

/** Reads and writes `AbpFeatureValues`. Statements rather than rows: what is asked for are sets of values. */
@Provides(StoredFeatures)
export class FeatureTable extends StoredFeatures {
  readonly database: Database
  readonly table = entityMeta(FeatureValue).table

  constructor(
    databases: Databases,
    private readonly features: Features,
    private readonly logger: Logger,
  ) {
    super()
    this.database = databases.of(FeatureValue)
  }

  /** Values that their feature can't have are left out and logged. */
  async valuesOf({ providerName, providerKey }: FeatureHolder): Promise<FeatureValues> {
    const rows = await this.database.query<{ name: string; value: string }>(sql`
      select "Name" as name, "Value" as value from "AbpFeatureValues"
      where "ProviderName" = ${providerName} and "ProviderKey" is not distinct from ${providerKey}::text`)
    const values = new Map<string, string>()
    for (const { name, value } of rows) {
      const definition = this.features.definitions.get(name)
      if (!definition) continue
      const read = definition.read(value)
      if (read === undefined)
        this.logger.warn({ feature: name, value }, 'a stored feature has a value that it can not have')
      else values.set(name, read)
    }
    return values
  }

  async set(holder: FeatureHolder, values: FeatureInput): Promise<void> {
    const texts = Object.entries(values).map(([name, value]) => {
      const definition = this.definition(name)
      const text = value === null ? null : readOf(definition, String(value))
      return [name, text === this.features.statedValueOf(name) ? null : text] as const
    })
    const cleared = texts.filter(([, text]) => text === null).map(([name]) => name)
    const kept = texts.filter((one): one is readonly [string, string] => one[1] !== null)
    const { providerName, providerKey } = holder
    await this.write(async () => {
      if (cleared.length)
        await this.database.execute(sql`
          delete from "AbpFeatureValues"
          where "Name" = any(${cleared}::text[]) and "ProviderName" = ${providerName}
            and "ProviderKey" is not distinct from ${providerKey}::text`)
      if (kept.length)
        await this.database.execute(sql`
          insert into "AbpFeatureValues" ("Id", "Name", "Value", "ProviderName", "ProviderKey")
          select id, name, value, ${providerName}::text, ${providerKey}::text
          from unnest(${kept.map(() => sequentialGuid())}::uuid[], ${kept.map(([name]) => name)}::text[],
            ${kept.map(([, value]) => value)}::text[]) as given(id, name, value)
          on conflict ("Name", "ProviderName", "ProviderKey") do update set "Value" = excluded."Value"`)
    })
  }

  async clear({ providerName, providerKey }: FeatureHolder): Promise<void> {
    await this.write(async () => {
      await this.database.execute(sql`
        delete from "AbpFeatureValues"
        where "ProviderName" = ${providerName} and "ProviderKey" is not distinct from ${providerKey}::text`)
    })
  }

  private definition(name: string): FeatureDefinition {
    const definition = this.features.definitions.get(name)
    if (!definition) throw new Error(`There is no feature ${name}: list it in features of a module`)
    return definition
  }

  private write(work: () => Promise<void>): Promise<void> {
    return UnitOfWork.run(async () => {
      await work()
      UnitOfWork.current?.changed(this.database, this.table)
    })
  }
}

function readOf(definition: FeatureDefinition, value: string): string {
  const read = definition.read(value)
  if (read === undefined)
    throw new BusinessError(FeatureErrors.InvalidFeatureValue, { name: definition.name, value })
  return read
}
