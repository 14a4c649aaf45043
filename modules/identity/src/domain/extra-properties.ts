import { areModest, extraPropertyLimits, faultOf, ValidationError } from '@keel/framework/contracts'

/**
 * Extra properties added to those that a row has, as JSON; null removes one. Refused when there come to be more than one input
 * may bring; what a row already has of another system stays, however much it is.
 */
export function withExtraProperties(stored: string | null, added: Readonly<Record<string, unknown>>): string {
  const all = { ...(JSON.parse(stored || '{}') as object), ...added }
  const properties = Object.fromEntries(Object.entries(all).filter(([name]) => added[name] !== null))
  const json = JSON.stringify(properties)
  if (json.length > (stored?.length ?? 0) && !areModest(properties))
    throw new ValidationError([
      faultOf('extraProperties', 'Validation:TooManyProperties', extraPropertyLimits),
    ])
  return json
}
