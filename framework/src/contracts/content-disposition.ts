/** The header that names a download (RFC 6266); names beyond ASCII are also sent percent-encoded. */
export function attachment(name: string): string {
  // Some browsers decode percent signs even here.
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const quoted = `attachment; filename="${plain}"`
  return plain === name ? quoted : `${quoted}; filename*=UTF-8''${percentEncoded(name)}`
}

/** The name of a file that a header gives; undefined without one. */
export function fileNameOf(header: string | null): string | undefined {
  const [, encoded] = /;\s*filename\*=utf-8'[^']*'([^;\s]+)/i.exec(header ?? '') ?? []
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded)
  } catch {
    // Badly encoded: the plain name is left.
  }
  const [, quoted, bare] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? '') ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? bare
}

/** A text in a parameter of a header (`name*=UTF-8''…`): RFC 8187 leaves fewer characters as they are than URIs do. */
export function percentEncoded(name: string): string {
  // Half of a surrogate pair has no encoding.
  const wellFormed = name.replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  )
  return encodeURIComponent(wellFormed).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
