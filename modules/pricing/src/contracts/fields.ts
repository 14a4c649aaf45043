import { z } from '@keel/framework/contracts'

/** ISO 4217 code of a currency. */
export const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, 'Validation:CurrencyCode')
  .meta({ examples: ['EUR'] })

/** Code of a port by UN/LOCODE. */
export const unLocode = z
  .string()
  .regex(/^[A-Z]{2}[A-Z2-9]{3}$/, 'Pricing:Validation:UnLocode')
  .meta({ examples: ['NLRTM'] })

/** ISO 3166 code of two letters. */
export const countryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'Validation:CountryCode')
  .meta({ examples: ['NL'] })

/** Type of a container by ISO 6346. */
export const containerTypeCode = z
  .string()
  .regex(/^[A-Z0-9]{4}$/, 'Pricing:Validation:ContainerType')
  .meta({ examples: ['45G1'] })

/** Code of a code entity of Hub, a carrier or an organization. */
export const shortCode = z.string().trim().min(1).max(20)

/** Transport mode by its code in Hub. */
export const transportModeCode = z.enum([
  'Sea',
  'Rail',
  'Road',
  'Air',
  'Courier',
  'Multimodal',
  'InlandWater',
])

/** Members of the input of every action. */
export const stamp = {
  /** The stamp last seen: another user's change in between refuses the action. */
  concurrencyStamp: z.string().max(40).nullish(),
}
