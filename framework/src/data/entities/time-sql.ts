/** The first day and instant that contracts and clients hold; PostgreSQL's earlier times, `-infinity` too, are shown as them, as .NET reads them. */
export const firstTime = { day: '0001-01-01', instant: '0001-01-01T00:00:00Z' } as const
/** The last day and instant that contracts and clients hold; PostgreSQL's later times, `infinity` too, are shown as them. */
export const lastTime = { day: '9999-12-31', instant: '9999-12-31T23:59:59.999999Z' } as const

/**
 * The text for times that are not of the years 1 to 9999. `nearest`: the first or the last of these years, because contracts hold no others.
 * `exact`: ISO 8601 with a year of more digits, or of a minus, as OData's grammar has it.
 */
export type FarTimes = 'nearest' | 'exact'

/**
 * The instant of a row as JSON has it everywhere, as SQL: ISO 8601 in UTC with as many digits behind the second as it has, up to six. The text
 * that `textToJson` makes of a column is the same.
 * @param instant SQL of our own for a timestamp; it stands in the result several times
 * @param plain the same without its zone, in UTC
 */
export function instantSql(instant: string, plain: string = instant, far: FarTimes = 'nearest'): string {
  const iso = (text: string) => `replace(${text}, ' ', 'T') || 'Z'`
  return timeSql(instant, plain, [firstTime.instant, lastTime.instant], iso, far)
}

/** A calendar date as JSON has it everywhere, as SQL. @param day SQL of our own for a date; it stands in the result several times */
export function daySql(day: string, far: FarTimes = 'nearest'): string {
  return timeSql(day, day, [firstTime.day, lastTime.day], (text) => text, far)
}

/**
 * Null for none. PostgreSQL writes `0044-03-15 10:00:00 BC`, which is `-0043-03-15T10:00:00`, because ISO 8601 has a year 0. Few functions, because
 * PostgreSQL prepares each for every execution of a statement, also where no row needs it.
 */
function timeSql(
  time: string,
  plain: string,
  [first, last]: readonly [string, string],
  iso: (text: string) => string,
  far: FarTimes,
): string {
  const near = iso(`${plain}::text`)
  if (far === 'nearest')
    return `case when ${time} < '${first}' then '${first}' when ${time} > '${last}' then '${last}' else ${near} end`
  const year = `to_char(extract(year from ${plain}) + 1, 'FM0000')`
  const beforeChrist = `${year} || ${iso(`substring(${plain}::text from '-.*[0-9]')`)}`
  return `case when ${time} >= '0001-01-01' and ${time} < 'infinity' then ${near} when ${time} = 'infinity' then '${last}' when ${time} = '-infinity' then '${first}' else ${beforeChrist} end`
}
