const atom = String.raw`[^\s\p{C}"<>(),:;@\\[\]]`
const mailbox = new RegExp(`^${atom}{1,64}@${atom}{1,253}$`, 'u')

/**
 * True when a text is one bare e-mail address that may stand in a header: no name, no list, no quotes, no control characters. Letters of any
 * language are fine.
 */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && mailbox.test(text)
}
