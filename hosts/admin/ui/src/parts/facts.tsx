import type { ReactNode } from 'react'
import { useTexts } from '../application.js'

/** What there is to know of a thing: titles (keys of texts) and values. Those without a value are left out. */
export function Facts({
  facts,
  areTitlesTexts = false,
  isWide = false,
}: {
  readonly facts: readonly (readonly [title: string, value: ReactNode])[]
  /** True for titles that are no keys. */
  readonly areTitlesTexts?: boolean
  /** True for two beside each other where there is room. */
  readonly isWide?: boolean
}) {
  const t = useTexts()
  return (
    <dl className="keel-facts" data-wide={isWide}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([title, value]) => (
          <div key={title}>
            <dt>{areTitlesTexts ? title : t(title)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
