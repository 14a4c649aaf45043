/**
 * An id with its dashes, in lower case: the auth server tells ids as 32 digits (ABP's password grant). Other
 * texts lose their dashes.
 */
export function withDashes(id: string): string {
  return id
    .replaceAll('-', '')
    .toLowerCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
