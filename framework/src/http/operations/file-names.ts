/** The most characters of a name, as every file system and our tables have it. */
const longest = 255

/**
 * The name of an uploaded file without what could do harm: folders, control characters, marks that turn the
 * direction of writing and so hide the real extension. At most 255 characters, of which the extension stays;
 * empty when nothing is left.
 */
export function safeFileName(given: string): string {
  const name = decodeForm(given).split(/[\\/]/).at(-1) ?? ''
  const visible = name.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    '',
  )
  const trimmed = visible.trim().replace(/(?<![. ])[. ]+$/, '')
  return shorten(trimmed)
}

/**
 * The escapes that browsers write for quotes and line breaks in a form (Fetch standard, multipart/form-data).
 */
function decodeForm(name: string): string {
  return name.replace(/%22/g, '"').replace(/%0[ad]/gi, '')
}

function shorten(name: string): string {
  if (name.length <= longest) return name
  const [extension = ''] = /\.[^.]{1,20}$/.exec(name) ?? []
  let stem = ''
  // By characters, not by halves of them.
  for (const character of name) {
    if (stem.length + character.length + extension.length > longest) break
    stem += character
  }
  return stem + extension
}
