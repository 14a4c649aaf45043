import { featureOf, type ServiceContract } from '../../contracts/index.js'

/** The names that people read for a service and for the thing that it is about. */
export interface Titles {
  /** The module: `Hub`. */
  readonly group: string
  /** The service: `Code entities`. */
  readonly title: string
  /** One of the things: `code entity`. */
  readonly one: string
  /** Several of them: `code entities`. */
  readonly several: string
}

/**
 * Names for people, from what the contract says or from its name: `IdentityUserAppService` of `AbpIdentity` →
 * `Users` of `Identity`.
 */
export function titlesOf({ name, service, title, operations }: ServiceContract): Titles {
  const bare = service.name.replace(/^Abp(?=[A-Z])/, '')
  const group = service.title ?? capital(words(bare))
  const feature = featureOf(name)
  const one = words(feature.replace(new RegExp(`^(?:Abp|${bare})(?=[A-Z])`), ''))
  const several = plural(one)
  return {
    group,
    title: title ?? capital(operations.has('getList') ? several : one),
    one,
    several,
  }
}

/** `getUpcomingShipments` → `get upcoming shipments`, `URLCheck` → `URL check`. */
export function words(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_, before: string, next: string, last: string) =>
      last ? `${last} ` : `${before} ${next}`,
    )
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ')
}

/** With a capital first letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function plural(noun: string): string {
  if (noun.endsWith('s')) return noun
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** Puts the names into a text that is written for all entities: `Gets an entity by its id.` */
export function withNames(text: string, { one, several }: Titles): string {
  const article = /^[aeiou]/.test(one) ? 'an' : 'a'
  return text.replace(/\ban entity\b/g, `${article} ${one}`).replace(/\bentities\b/g, several)
}
