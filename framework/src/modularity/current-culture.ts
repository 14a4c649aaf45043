import type { CurrentCultureDto, DateTimeFormatDto } from '../contracts/index.js'

/**
 * ISO 639-2 codes of the languages that ABP's Angular UI has a locale for, and of other large ones: Intl does
 * not know them.
 */
const threeLetterNames: Readonly<Record<string, string>> = {
  ar: 'ara',
  bg: 'bul',
  cs: 'ces',
  da: 'dan',
  de: 'deu',
  el: 'ell',
  en: 'eng',
  es: 'spa',
  et: 'est',
  fa: 'fas',
  fi: 'fin',
  fr: 'fra',
  he: 'heb',
  hi: 'hin',
  hr: 'hrv',
  hu: 'hun',
  id: 'ind',
  is: 'isl',
  it: 'ita',
  ja: 'jpn',
  ko: 'kor',
  lt: 'lit',
  lv: 'lav',
  nb: 'nob',
  nl: 'nld',
  pl: 'pol',
  pt: 'por',
  ro: 'ron',
  ru: 'rus',
  sk: 'slk',
  sl: 'slv',
  sv: 'swe',
  th: 'tha',
  tr: 'tur',
  uk: 'ukr',
  ur: 'urd',
  vi: 'vie',
  zh: 'zho',
}
const rightToLeftScripts = ['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Syrc', 'Thaa']

/**
 * A Thursday whose numbers have one digit each: two digits where it is written with two say how a pattern
 * pads.
 */
const sample = Date.UTC(2026, 2, 5, 7, 8, 9)

/** A culture as .NET describes it, from what Intl knows; undefined when there is no such language. */
export function describeCulture(cultureName: string): InstanceType<typeof CurrentCultureDto> | undefined {
  const locale = localeOf(cultureName)
  const englishName = locale && languageName('en', locale)
  if (!locale || !englishName) return undefined
  const name = locale.baseName
  const nativeName = languageName(name, locale) ?? englishName
  return {
    displayName: nativeName,
    englishName,
    threeLetterIsoLanguageName: threeLetterNames[locale.language] ?? locale.language,
    twoLetterIsoLanguageName: locale.language,
    isRightToLeft: rightToLeftScripts.includes(locale.maximize().script ?? ''),
    cultureName: name,
    name,
    nativeName,
    dateTimeFormat: dateTimeFormat(name),
  }
}

function localeOf(cultureName: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(cultureName)
  } catch {
    return undefined
  }
}

/** `English (United States)`, with a capital in every language, as menus show it. */
function languageName(inCulture: string, locale: Intl.Locale): string | undefined {
  const names = new Intl.DisplayNames([inCulture], {
    type: 'language',
    languageDisplay: 'standard',
    fallback: 'none',
  })
  const name = names.of(locale.baseName)
  return name && name.charAt(0).toLocaleUpperCase(inCulture) + name.slice(1)
}

function dateTimeFormat(culture: string): InstanceType<typeof DateTimeFormatDto> {
  const longDate = pattern(culture, { dateStyle: 'full' })
  const longTime = pattern(culture, { timeStyle: 'medium' })
  const shortDate = pattern(culture, { dateStyle: 'short' })
  return {
    calendarAlgorithmType: 'SolarCalendar',
    dateTimeFormatLong: longDate,
    shortDatePattern: shortDate,
    fullDateTimePattern: `${longDate} ${longTime}`,
    dateSeparator: /[^dMy']+/.exec(shortDate)?.[0] ?? '/',
    shortTimePattern: pattern(culture, { timeStyle: 'short' }),
    longTimePattern: longTime,
  }
}

/** How Intl writes a date, in .NET's notation. */
function pattern(culture: string, style: Intl.DateTimeFormatOptions): string {
  const format = new Intl.DateTimeFormat(culture, {
    ...style,
    timeZone: 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
  })
  const hour = format.resolvedOptions().hourCycle?.startsWith('h1') ? 'h' : 'H'
  return format
    .formatToParts(sample)
    .map(({ type, value }) => tokenOf(type, value, hour))
    .join('')
    .trim()
}

function tokenOf(type: string, value: string, hour: string): string {
  const padded = (letter: string): string => (value.length === 2 ? letter + letter : letter)
  switch (type) {
    case 'year':
      return 'yyyy'
    case 'month':
      return /^\d/.test(value) ? padded('M') : 'MMMM'
    case 'day':
      return padded('d')
    case 'weekday':
      return 'dddd'
    case 'hour':
      return padded(hour)
    case 'minute':
      return 'mm'
    case 'second':
      return 'ss'
    case 'dayPeriod':
      return 'tt'
    default:
      return literal(value)
  }
}

/** Letters in quotes, so that none is taken for a part of the date; plain spaces, no marks of direction. */
function literal(text: string): string {
  return text
    .replace(/[\u200e\u200f]/g, '')
    .replace(/\s/g, ' ')
    .replace(/\p{Script=Latin}+/gu, (letters) => `'${letters}'`)
}
