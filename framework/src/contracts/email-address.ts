import { z } from 'zod'

/** Control characters and characters that only format (Unicode's Cc and Cf), by their numbers: readers of OpenAPI documents leave the flag out that `\p` needs. */
const invisible = String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff`
/** One character of an address: nothing that quotes it, ends it in a header, makes a list of it, or is invisible. */
const character = String.raw`[^\s${invisible}"<>(),:;@\\[\]]`
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
