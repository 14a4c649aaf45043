type Channels = readonly [red: number, green: number, blue: number]

/** WCAG's least contrast of text. */
const readable = 4.5

/** The contrast of two colours (`#rrggbb`) as WCAG 2 defines it: from 1, the same, to 21, black and white. */
export function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Black or white, whichever is read better on a colour. */
export function textOn(background: string): string {
  return contrast(background, '#000000') > contrast(background, '#ffffff') ? '#000000' : '#ffffff'
}

/** A colour moved towards black or white just so far that it can be read on a background. */
export function readableOn(background: string, color: string): string {
  const target = textOn(background)
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, target, share)
    if (contrast(mixed, background) >= readable) return mixed
  }
  return target
}

function mix(color: string, other: string, share: number): string {
  const [from, to] = [channelsOf(color), channelsOf(other)]
  const mixed = from.map((value, index) => Math.round(value + ((to[index] ?? value) - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function luminance(color: string): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Channels
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): Channels {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)) as unknown as Channels
}
