/** Claims of another provider about a person. */
export type ProviderClaims = Readonly<Record<string, unknown>>

/** A claim that is a text; undefined for a blank one and for other values. */
export function textClaim(claims: ProviderClaims, name: string): string | undefined {
  const value = claims[name]
  return typeof value === 'string' && value.trim() ? value.trim() : undefined
}

/** A claim that is true, as providers write it: Microsoft's are numbers, and others write texts. */
export function isTrueClaim(value: unknown): boolean {
  return (
    value === true ||
    value === 1 ||
    value === '1' ||
    (typeof value === 'string' && value.toLowerCase() === 'true')
  )
}

/**
 * Microsoft's directories let anybody write any address; they say by `xms_edov` that its domain is theirs,
 * and nothing by `email_verified`.
 */
export function isEmailVerified({ iss, email_verified, xms_edov }: ProviderClaims): boolean {
  const isMicrosoft =
    typeof iss === 'string' && /^https:\/\/(login\.microsoftonline\.|sts\.windows\.)/.test(iss)
  return isTrueClaim(isMicrosoft ? xms_edov : email_verified)
}
