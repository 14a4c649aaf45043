/** The culture that every text is written in first. */
export const sourceCulture = 'en'

/**
 * A culture and its parents, the nearest first: `de-AT` → `de-AT`, `de`; `zh-CN` → `zh-CN`, `zh-Hans`, `zh`.
 * What is no culture's name has no parents.
 */
export function cultureChain(culture: string): readonly string[] {
  const known = chains.get(culture)
  if (known) return known
  const chain = parentsOf(culture)
  // Callers choose the names: only so many are worth remembering.
  if (chains.size < 1000) chains.set(culture, chain)
  return chain
}

const chains = new Map<string, readonly string[]>()

function parentsOf(culture: string): string[] {
  try {
    const [canonical = culture] = Intl.getCanonicalLocales(culture)
    const { language, script } = new Intl.Locale(canonical).maximize()
    return [...new Set([canonical, script ? `${language}-${script}` : language, language])]
  } catch {
    return [culture]
  }
}

/** The parts of a request that name its language. */
export interface CultureRequest {
  readonly url: string
  readonly cookie?: string | undefined
  readonly acceptLanguage?: string | undefined
}

/**
 * The culture of a request, ranked as ASP.NET ranks them: query `ui-culture` or `culture`, cookie
 * `.AspNetCore.Culture`, `Accept-Language`, else the default. A culture that is not offered counts by its
 * nearest parent, else not at all.
 */
export function cultureOf(request: CultureRequest, offered: ReadonlySet<string>, standard: string): string {
  return (
    cultureInQuery(request.url, offered) ??
    offeredOf(fromCookie(request.cookie), offered) ??
    offeredOf(fromAcceptLanguage(request.acceptLanguage), offered) ??
    standard
  )
}

/** The culture that the query of a request asks for, if it is offered. */
export function cultureInQuery(url: string, offered: ReadonlySet<string>): string | undefined {
  return offeredOf(fromQuery(url), offered)
}

const twoYearsSeconds = 2 * 365 * 24 * 60 * 60

/** The cookie that keeps a culture, as ABP writes it. */
export function cultureCookie(culture: string): string {
  const value = encodeURIComponent(`c=${culture}|uic=${culture}`)
  return `.AspNetCore.Culture=${value}; Path=/; Max-Age=${twoYearsSeconds}; SameSite=Lax`
}

function offeredOf(cultures: readonly string[], offered: ReadonlySet<string>): string | undefined {
  for (const culture of cultures) {
    const found = cultureChain(culture).find((name) => offered.has(name))
    if (found) return found
  }
  return undefined
}

function fromQuery(url: string): string[] {
  const mark = url.indexOf('?')
  if (mark < 0 || !url.includes('culture=', mark)) return []
  const query = new URLSearchParams(url.slice(mark))
  return [query.get('ui-culture'), query.get('culture')].filter(isCultureLike)
}

/** `c=de-DE|uic=de`, percent-encoded by ABP. */
function fromCookie(cookie: string | undefined): string[] {
  if (!cookie) return []
  const [, value = ''] = /(?:^|;\s*)\.AspNetCore\.Culture=([^;]{1,200})/.exec(cookie) ?? []
  const parts = value
    .replace(/%3D/gi, '=')
    .replace(/%7C/gi, '|')
    .split('|')
    .map((part) => part.split('='))
  return ['uic', 'c'].map((name) => parts.find(([key]) => key === name)?.[1]).filter(isCultureLike)
}

const wanted = new Map<string, readonly string[]>()

function fromAcceptLanguage(header: string | undefined): readonly string[] {
  if (!header) return []
  const known = wanted.get(header)
  if (known) return known
  const cultures = parseAcceptLanguage(header)
  // Callers choose the headers: only so many are worth remembering.
  if (wanted.size < 1000 && header.length < 200) wanted.set(header, cultures)
  return cultures
}

function parseAcceptLanguage(header: string): string[] {
  return header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.trim().split(/;\s*q=/)
      return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 }
    })
    .filter(({ tag, quality }) => quality > 0 && isCultureLike(tag))
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}

const isCultureLike = (name: string | null | undefined): name is string =>
  typeof name === 'string' && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/.test(name)
