/**
 * Whose features: the whole system's (ABP's provider `T` without a key), an edition's (`E` and its id) or a tenant's (`T` and its id).
 */
export interface FeatureHolder {
  readonly providerName: 'T' | 'E'
  readonly providerKey: string | null
}

/** The whole system. */
export const hostFeatures: FeatureHolder = { providerName: 'T', providerKey: null }

/** Values by the names of their features; null takes a value back, and what stands below it counts again. */
export type FeatureInput = Readonly<Record<string, string | number | boolean | null>>

/**
 * Sets features while the system runs, in ABP's table `AbpFeatureValues`; every process counts those of the host within a moment. What is in
 * force is read with the framework's `Features`. Who may set what is the caller's affair.
 * @example await stored.set(hostFeatures, { 'SettingManagement.Enable': false })
 */
export abstract class StoredFeatures {
  /** The values of a holder in the table. */
  abstract valuesOf(holder: FeatureHolder): Promise<ReadonlyMap<string, string>>
  /**
   * Throws a `BusinessError` ({@link FeatureErrors}) for a value that the feature can't have. A value that counts anyway is not kept. A name
   * that no module declares is a mistake of the program.
   */
  abstract set(holder: FeatureHolder, values: FeatureInput): Promise<void>
  /** Takes back everything that was set for a holder. */
  abstract clear(holder: FeatureHolder): Promise<void>
}

/** Extension point: editions and tenants that features can be set for. Without it there are none. */
export abstract class FeatureHolders {
  abstract exists(holder: FeatureHolder): Promise<boolean>
}
