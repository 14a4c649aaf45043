import { useNavigate, useSearch } from '@tanstack/react-router'

/** What the address says after its `?`, by name. */
export type UrlState = Readonly<Record<string, string | undefined>>

/**
 * The state of a page that stands in its address, so that it can be sent to others and the back button works.
 * @returns the state, and what changes members of it; undefined takes a member away. `isStep` makes it a step of the back button
 */
export function useUrlState(): [UrlState, (change: UrlState, isStep?: boolean) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const state = Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  )
  return [
    state,
    (change, isStep = false) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => without({ ...before, ...change }),
        replace: !isStep,
      } as never),
  ]
}

function without(search: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''))
}
