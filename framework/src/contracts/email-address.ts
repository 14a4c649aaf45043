import { z } from 'zod'

/** One character of an address: nothing that quotes it, ends it in a header, makes a list of it, or is invisible. */
const character = String.raw`[^\s\p{C}"<>(),:;@\\[\]]`
const pattern = new RegExp(`^${character}{1,64}@${character}{1,253}$`, 'u')

/**
 * An e-mail address as every input takes it: one bare address, without a name, quotes, comments or control characters, of at most 254 characters
 * (RFC 5321, section 4.5.3.1.3). Letters of any language are allowed. No mail is sent to anything else.
 */
export const emailAddress = z.email({ pattern }).max(254)

/**
 * The e-mail address of a user who is changed: what ABP takes for one, because users of its databases may have such a one. It stays as it is; another
 * one must be an {@link emailAddress}, which is checked where it is stored.
 */
export const emailAddressOfUser = z.email({ pattern: /^[^@\r\n]+@[^@\r\n]+$/ }).max(256)

/** True for a text that {@link emailAddress} takes. */
export function isMailAddress(text: string): boolean {
  return emailAddress.safeParse(text).success
}
