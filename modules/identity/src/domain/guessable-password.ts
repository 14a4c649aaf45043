/** Letters that signs stand for, as in `P@ssw0rd`. `1` stands for two letters, so there are two tables. */
const lookAlikes = { '@': 'a', '4': 'a', '3': 'e', '0': 'o', $: 's', '5': 's', '7': 't', '!': 'i' } as const
const readings: readonly Readonly<Record<string, string>>[] = [
  {},
  { ...lookAlikes, '1': 'i' },
  { ...lookAlikes, '1': 'l' },
]

/** A shorter rest says nothing: `Go4it!-7` is not the word `go`. */
const shortestWord = 4
/** More digits and signs than these around a word make it another password. */
const longestDecoration = 6
/** Bounds the work of the expressions below. Services refuse longer passwords anyway. */
const longest = 128

/**
 * True when a password is one that many people have: a member of `common` (lower case), also with capitals,
 * with signs for letters (`P@ssw0rd`) or with up to six digits and signs at its ends (`Password1!`), because
 * these are what rules of composition make of it.
 */
export function isCommonPassword(password: string, common: ReadonlySet<string>): boolean {
  if (password.length > longest) return false
  return stemsOf(password.toLowerCase()).some((stem) =>
    readings.some((reading) => common.has(read(stem, reading))),
  )
}

/**
 * True when a password has nothing but words of its user or of the product (name, parts of the e-mail
 * address, company), in any order and case, with any digits and signs: `Ada.Lovelace1815`. Words of fewer
 * than three characters do not count.
 */
export function isMadeOfWords(password: string, texts: readonly string[]): boolean {
  if (password.length > longest) return false
  const words = wordsOf(texts)
  const core = password.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return readings.some((reading) => {
    const letters = lettersOf(read(core, reading))
    return letters !== '' && words.reduce((rest, word) => rest.replaceAll(word, ''), letters) === ''
  })
}

/** The password, and what is left of it without signs, and without digits and signs, at its ends. */
function stemsOf(password: string): string[] {
  const stems = [/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, /[^\p{L}]+$/u, /^[^\p{L}]+|[^\p{L}]+$/gu].map((ends) =>
    password.replace(ends, ''),
  )
  const isWord = (stem: string): boolean =>
    stem.length >= shortestWord && password.length - stem.length <= longestDecoration
  return [password, ...stems.filter(isWord)]
}

function read(text: string, reading: Readonly<Record<string, string>>): string {
  return [...text].map((sign) => reading[sign] ?? sign).join('')
}

/** Words in order of their length, the longest first: `annabel` is taken out before `anna`. */
function wordsOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
  const letters = words.map((word) => lettersOf(word.toLowerCase())).filter((word) => word.length >= 3)
  return [...new Set(letters)].sort((a, b) => b.length - a.length)
}

/** Letters alone, without their accents: `Müller` and `muller` are one word. */
function lettersOf(text: string): string {
  return text.normalize('NFKD').replace(/[^\p{L}]+/gu, '')
}
