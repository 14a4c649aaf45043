/** ABP's mark for the one label of a host name that may vary. */
const mark = '{0}'
const labels = '[a-z0-9]([a-z0-9-]*[a-z0-9])?'
/** A scheme, the mark before a host of two labels (or of this machine), and any path. */
const pattern = new RegExp(
  String.raw`^https?://\{0\}\.((${labels}\.)+${labels}|localhost)(:\d{1,5})?(/[^{}\\#]*)?$`,
)
const label = new RegExp(`^(?=.{1,63}$)${labels}$`)

/** True for an address with a mark in it, rightly or not. */
export function hasMark(address: string): boolean {
  return address.includes(mark)
}

/**
 * True for a pattern such as `https://{0}.example.com/signin-oidc`: it stands for every name directly below
 * `example.com`.
 */
export function isRedirectPattern(address: string): boolean {
  return pattern.test(address) && URL.canParse(address.replace(mark, 'a'))
}

/**
 * True for an address that a pattern stands for: the same in every character, but for one plain label in
 * place of the mark. The label is taken from the parsed address, so an address that a browser would read
 * differently (user info, ports, encoded or turned slashes, capitals, other alphabets) fails one of the two
 * comparisons.
 */
export function fitsPattern(address: string, of: string): boolean {
  if (!isRedirectPattern(of) || !URL.canParse(address)) return false
  const [first = '', ...rest] = new URL(address).hostname.split('.')
  const expected = new URL(of.replace(mark, first || 'a')).hostname
  return (
    label.test(first) && [first, ...rest].join('.') === expected && address === of.replace(mark, () => first)
  )
}
