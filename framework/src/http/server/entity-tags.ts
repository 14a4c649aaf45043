/** Whether `If-None-Match` names a tag, compared weakly (RFC 9110, section 13.1.2). */
export function matchesTag(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false
  const opaque = entityTag.replace(/^W\//, '')
  return header.split(',').some((part) => ['*', opaque].includes(part.trim().replace(/^W\//, '')))
}
