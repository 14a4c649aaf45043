import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  useNavigate,
  useSearch,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type PageEntry, pages } from './pages.js'
import { NeedsPermission, NotFound, PageFailure, PageLoading } from './parts/states.js'
import { Shell } from './shell.js'

/** The router of all pages. Each page is fetched when it is first opened, or a link to it is pointed at. */
export function createAppRouter() {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })
  const routes = pages.map((page) =>
    createRoute({
      getParentRoute: () => root,
      path: page.path,
      component: pageOf(page),
      pendingComponent: PageLoading,
      errorComponent: PageFailure,
      validateSearch: (search: Record<string, unknown>) => search,
    }),
  )
  return createRouter({
    routeTree: root.addChildren(routes),
    defaultPreload: 'intent',
    defaultPendingMs: 200,
    scrollRestoration: true,
  })
}

function pageOf({ permission, load }: PageEntry) {
  const Page = lazyRouteComponent<{ Page: () => ReactNode }, 'Page'>(load, 'Page')
  const Guarded = () => (
    <NeedsPermission permission={permission}>
      <Page />
    </NeedsPermission>
  )
  return Object.assign(Guarded, { preload: Page.preload })
}

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
