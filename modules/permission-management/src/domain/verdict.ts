import type { GrantProvider, PermissionDefinition } from '@keel/framework/contracts'

/** A grant or a prohibition as it stands in the database. */
export interface GrantRow {
  readonly name: string
  readonly providerName: GrantProvider
  readonly providerKey: string
  readonly isProhibition: boolean
}

/** The combined answer of several holders for a permission. */
export type Verdict = 'Granted' | 'Prohibited' | 'Undefined'

type Restriction = Pick<PermissionDefinition, 'providers'>

/** True when a grant under a provider counts for a permission. Prohibitions always do. */
export function allows({ providers }: Restriction, provider: GrantProvider): boolean {
  return providers === undefined || providers.includes(provider)
}

/** The rule of every check: whoever prohibits a permission wins over everybody who grants it; what nobody speaks of is not granted. */
export function verdictOf(permission: Restriction, rows: readonly GrantRow[]): Verdict {
  if (rows.some(({ isProhibition }) => isProhibition)) return 'Prohibited'
  return rows.some(({ providerName }) => allows(permission, providerName)) ? 'Granted' : 'Undefined'
}

/** The permissions that the rows of somebody's holders amount to. A row of a permission that no module defines is nothing. */
export function grantedNames(
  definitions: ReadonlyMap<string, Restriction>,
  rows: readonly GrantRow[],
): string[] {
  return [...rowsByName(rows)]
    .filter(([name, own]) => {
      const definition = definitions.get(name)
      return definition !== undefined && verdictOf(definition, own) === 'Granted'
    })
    .map(([name]) => name)
}

/** Rows by the permission they are of. */
export function rowsByName(rows: readonly GrantRow[]): ReadonlyMap<string, GrantRow[]> {
  const byName = new Map<string, GrantRow[]>()
  for (const row of rows) {
    const known = byName.get(row.name)
    if (known) known.push(row)
    else byName.set(row.name, [row])
  }
  return byName
}
