/** The providers that a grant can stand under: user, role, client, API key. */
export type GrantProvider = 'U' | 'R' | 'C' | 'AK'

/** What the role seeding can refuse. */
export const PermissionErrors = {
  /** Roles that are their own ancestor, or a grant to a role that no module declares. */
  InvalidHierarchy: 'App:RoleSeed:InvalidHierarchy',
} as const
