/** The characters that end a cell, by file. */
export type CsvDelimiter = ',' | ';' | '\t' | '|'

export const csvDelimiters: readonly CsvDelimiter[] = [',', ';', '\t', '|']

/** The signs that formulas begin with. Programs of East Asia take the wide forms for the signs themselves. */
const signs = '=+\\-@\\uff1d\\uff0b\\uff0d\\uff20'
const unguardedStart = new RegExp(`^(?='*[${signs}\\t\\r\\n])`)
const guardedStart = new RegExp(`^'(?='*[${signs}\\t\\r\\n])`)

/** The places inside a text of a file with this delimiter where a program that expects another one begins a cell. */
const insides = new Map(
  csvDelimiters.map((own) => {
    const others = csvDelimiters.filter((delimiter) => delimiter !== own).join('')
    // Such a program takes a quote as a quote at the beginning of a cell alone, and each line break for the end of a row.
    const before = `([${others}\\r\\n]"*)`
    return [
      own,
      {
        unguarded: new RegExp(`${before}(?='*[${signs}])`, 'g'),
        guarded: new RegExp(`${before}'(?='*[${signs}])`, 'g'),
      },
    ]
  }),
)

/**
 * Puts an apostrophe before everything in a text of a CSV file that a program may take for a formula (OWASP, "CSV injection"): at its start, and
 * where a program that expects another delimiter begins a cell (`a;=1+1` in a file with commas).
 */
export function withFormulaGuards(text: string, delimiter: CsvDelimiter): string {
  const guarded = text.replace(unguardedStart, "'")
  return guarded.replace(insides.get(delimiter)?.unguarded ?? '', "$1'")
}

/** The text that {@link withFormulaGuards} was given. */
export function withoutFormulaGuards(text: string, delimiter: CsvDelimiter): string {
  return text.replace(guardedStart, '').replace(insides.get(delimiter)?.guarded ?? '', '$1')
}
