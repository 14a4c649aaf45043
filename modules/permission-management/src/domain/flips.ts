import type { PermissionDefinition } from '@keel/framework/contracts'
import type { GrantHolder } from '@keel/framework/security'
import type { GrantChangeKind } from '../contracts/index.js'
import { allows, type GrantRow, verdictOf } from './verdict.js'

/** The holders that count together, and what stands at them of one permission. */
export interface Side {
  /** The most specific first. */
  readonly chain: readonly GrantHolder[]
  readonly rows: readonly GrantRow[]
}

/** A change at a holder. */
export interface HolderChange extends GrantHolder {
  readonly kind: keyof typeof GrantChangeKind
}

type Restriction = Pick<PermissionDefinition, 'providers'>

/** True when a permission is granted: by every side, where an API key's are its owner's and its own. */
export function isGrantedBy(permission: Restriction, sides: readonly Side[]): boolean {
  return sides.every(({ rows }) => verdictOf(permission, rows) === 'Granted')
}

/** The ways to turn the verdict round. Each is a set of changes that is enough, and none of them can be left out. */
export function flips(permission: Restriction, sides: readonly Side[]): HolderChange[][] {
  if (isGrantedBy(permission, sides)) return sides.flatMap((side) => waysToEnd(permission, side))
  const denying = sides.filter(({ rows }) => verdictOf(permission, rows) !== 'Granted')
  return denying
    .map((side) => waysToGrant(permission, side))
    .reduce((all, ways) => all.flatMap((way) => ways.map((more) => [...way, ...more])), [
      [],
    ] as HolderChange[][])
}

function waysToEnd(permission: Restriction, { chain, rows }: Side): HolderChange[][] {
  const grants = rows.filter(({ providerName }) => allows(permission, providerName))
  const revoking = grants.map((row) => change(row, 'Revoked'))
  return [revoking, ...chain.map((holder) => [change(holder, 'Prohibited')])]
}

function waysToGrant(permission: Restriction, { chain, rows }: Side): HolderChange[][] {
  const allowing = rows.filter(({ isProhibition }) => isProhibition).map((row) => change(row, 'Allowed'))
  const isGranted = rows.some(
    ({ isProhibition, providerName }) => !isProhibition && allows(permission, providerName),
  )
  if (isGranted) return [allowing]
  return chain
    .filter(({ providerName }) => allows(permission, providerName))
    .map((holder) => [...allowing, change(holder, 'Granted')])
}

const change = ({ providerName, providerKey }: GrantHolder, kind: HolderChange['kind']): HolderChange => ({
  providerName,
  providerKey,
  kind,
})

/** The rows that stand after changes of their permission. */
export function afterChanges(
  name: string,
  rows: readonly GrantRow[],
  changes: readonly HolderChange[],
): GrantRow[] {
  return changes.reduce(
    (standing, { providerName, providerKey, kind }) => {
      const isProhibition = kind === 'Prohibited' || kind === 'Allowed'
      const others = standing.filter(
        (row) =>
          row.providerName !== providerName ||
          row.providerKey !== providerKey ||
          row.isProhibition !== isProhibition,
      )
      const isAdded = kind === 'Granted' || kind === 'Prohibited'
      return isAdded ? [...others, { name, providerName, providerKey, isProhibition }] : others
    },
    [...rows],
  )
}
