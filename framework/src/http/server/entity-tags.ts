import fresh from 'fresh'

/** True when `If-None-Match` names a tag, compared weakly (RFC 9110, section 13.1.2). */
export function matchesTag(header: string | undefined, entityTag: string): boolean {
  return fresh({ 'if-none-match': header }, { etag: entityTag })
}
