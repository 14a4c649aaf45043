import { useMemo } from 'react'
import { useApplication } from '../application.js'

/** How figures are written in the language of the page. */
export interface Formats {
  /** An amount with its currency, if it has one; empty for none. */
  readonly money: (amount: string | number | null | undefined, currency: string | null | undefined) => string
  /** A margin with its share of the price in per cent, as far as it is known. */
  readonly margin: (
    amount: string | null | undefined,
    percent: string | null | undefined,
    currency: string,
  ) => string
  /** A number that came as text; empty for none. */
  readonly decimal: (value: string | number | null | undefined) => string
  /** A calendar date such as `2026-11-26`; empty for none. */
  readonly date: (day: string | null | undefined) => string
}

/** The way between two places by their codes, in one line: `NLRTM → CNSHA`. One that is not known is a dash; empty for none. */
export function routeOf(from: string | undefined, to: string | undefined): string {
  return from || to ? `${from ?? '–'}\u00a0→\u00a0${to ?? '–'}` : ''
}

/** The formats of the page's language. */
export function useFormats(): Formats {
  const { language } = useApplication()
  return useMemo(() => {
    const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
    const decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 8 })
    const isNone = (value: unknown): value is null | undefined | '' =>
      value === null || value === undefined || value === ''
    const decimal: Formats['decimal'] = (value) => (isNone(value) ? '' : decimals.format(Number(value)))
    const money: Formats['money'] = (amount, currency) =>
      isNone(amount) || !currency
        ? decimal(amount)
        : new Intl.NumberFormat(language, { style: 'currency', currency }).format(Number(amount))
    return {
      money,
      decimal,
      margin: (amount, percent, currency) =>
        [money(amount, currency), !isNone(percent) && `(${decimal(percent)} %)`].filter(Boolean).join(' '),
      // A date stays in one line.
      date: (day) => (day ? days.format(new Date(`${day}T00:00:00Z`)).replaceAll(' ', '\u00a0') : ''),
    }
  }, [language])
}
