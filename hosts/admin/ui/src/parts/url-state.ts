import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'

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

const leftStates = new Map<string, UrlState>()

/** Remembers what a list is filtered and ordered by, for the links that lead back to it: see {@link stateOfList}. */
export function useLeftState(state: UrlState): void {
  const { pathname } = useLocation()
  useEffect(() => {
    leftStates.set(pathname, without(state) as UrlState)
  })
}

/** The state in the address of a list when it was left; undefined for one that was not open yet. */
export function stateOfList(path: string): UrlState | undefined {
  return leftStates.get(path)
}

function without(search: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''))
}
