import type { ReactNode } from 'react'
import { useTexts } from '../application.js'

/** What there is to know of a thing: titles (keys of texts) and values. Those without a value are left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [title: string, value: ReactNode])[]
}) {
  const t = useTexts()
  return (
    <dl className="keel-facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([title, value]) => (
          <div key={title}>
            <dt>{t(title)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
