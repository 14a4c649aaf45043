import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
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
