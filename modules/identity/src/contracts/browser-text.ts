const browsers: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** A `User-Agent` header in words (`Firefox, Windows`); the beginning of an unknown one. */
export function browserText(userAgent: string): string {
  const of = (known: typeof browsers) => known.find(([mark]) => mark.test(userAgent))?.[1]
  return [of(browsers), of(systems)].filter(Boolean).join(', ') || userAgent.slice(0, 60)
}
