import { InputError } from '../modularity/input-error.js'

/** Throws {@link InputError} when a name is not in kebab-case. */
export function checkName(name: string): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new InputError(`"${name}" is no name: write it in lower case, like fleet or fuel-card`)
}

/** @example pascal('fuel-card') // 'FuelCard' */
export const pascal = (name: string): string =>
  name.replace(/(?:^|-)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())

/** @example camel('fuel-card') // 'fuelCard' */
export const camel = (name: string): string => pascal(name).replace(/^./, (letter) => letter.toLowerCase())

/** The English plural of a name. @example plural('fuel-bay') // 'fuel-bays' */
export function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`
}

/** A name as words for people. @example words('capacityPallets') // 'capacity pallets' */
export const words = (name: string): string =>
  name.replaceAll('-', ' ').replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Words with a capital letter in front. */
export const capitalized = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())
