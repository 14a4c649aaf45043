import type { ReactNode } from 'react'
import type { IconName } from './parts/icons.js'

/** A page of the UI: its address, its entry in the menu, and the permission that shows it. */
export interface PageEntry {
  /** E.g. `/users`. */
  readonly path: string
  /** The key of its title, which is also its name in the menu. */
  readonly title: string
  /** The key of the heading that it stands under in the menu; none for the dashboard. */
  readonly group?: string
  readonly icon: IconName
  /** Without it the page is in no menu, and its address says that it needs the permission. */
  readonly permission?: string
  /** Reached from elsewhere than the menu. */
  readonly isHidden?: boolean
  /** The file of the page, a chunk of its own: it exports `Page`. */
  readonly load: () => Promise<{ Page: () => ReactNode }>
}

const people = 'AbpIdentity::Menu:IdentityManagement'

/** All pages, in the order of the menu. A page is a file in `pages/` and an entry here. */
export const pages: readonly PageEntry[] = [
  { path: '/', title: 'Dashboard', icon: 'home', load: () => import('./pages/dashboard.js') },
  {
    path: '/users',
    title: 'AbpIdentity::Users',
    group: people,
    icon: 'users',
    permission: 'AbpIdentity.Users',
    load: () => import('./pages/users.js'),
  },
  {
    path: '/roles',
    title: 'AbpIdentity::Roles',
    group: people,
    icon: 'shield',
    permission: 'AbpIdentity.Roles',
    load: () => import('./pages/roles.js'),
  },
  {
    path: '/permission-matrix',
    title: 'PermissionMatrix',
    group: people,
    icon: 'grid',
    permission: 'AbpIdentity.Roles.ManagePermissions',
    load: () => import('./pages/permission-matrix.js'),
  },
  {
    path: '/organization-units',
    title: 'AbpIdentity::OrganizationUnits',
    group: people,
    icon: 'tree',
    permission: 'AbpIdentity.OrganizationUnits',
    load: () => import('./pages/organization-units.js'),
  },
  {
    path: '/explain',
    title: 'Explain',
    group: people,
    icon: 'question',
    permission: 'AbpIdentity.Users.ManagePermissions',
    load: () => import('./pages/explain.js'),
  },
  {
    path: '/profile',
    title: 'MyProfile',
    icon: 'person',
    isHidden: true,
    load: () => import('./pages/profile.js'),
  },
]
