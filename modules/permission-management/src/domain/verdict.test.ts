import { defineRole, type GrantProvider } from '@keel/framework/contracts'
import { expect, test } from 'vitest'
import { afterChanges, flips, type HolderChange, isGrantedBy, type Side } from './flips.js'
import { rolePaths, rolesBelow } from './role-paths.js'
import { type GrantRow, verdictOf } from './verdict.js'

const row = (providerName: GrantProvider, isProhibition = false): GrantRow => ({
  name: 'Port.View',
  providerName,
  providerKey: 'key',
  isProhibition,
})

test.each([
  ['nobody speaks of it', [], 'Undefined'],
  ['one grants it', [row('R')], 'Granted'],
  ['one grants and another prohibits it', [row('U'), row('R', true)], 'Prohibited'],
  ['one prohibits it', [row('U', true)], 'Prohibited'],
] as const)('when %s', (_what, rows, verdict) => {
  expect(verdictOf({}, rows)).toBe(verdict)
})

test.each([
  [[row('U')], 'Undefined'],
  [[row('U'), row('C')], 'Granted'],
  [[row('C'), row('U', true)], 'Prohibited'],
] as const)('of a permission for clients alone %j make it %s', (rows, verdict) => {
  expect(verdictOf({ providers: ['C'] }, rows)).toBe(verdict)
})

const user = (['U', 'R', 'R', 'C'] as const).map((providerName, index) => ({
  providerName,
  providerKey: `${index}`,
}))
const key = [{ providerName: 'AK', providerKey: 'key' } as const]

/** Every way in which holders can grant and prohibit. */
function everySide(chain: Side['chain']): Side[] {
  const [holder, ...rest] = chain
  if (!holder) return [{ chain: [], rows: [] }]
  const at = (isProhibition: boolean): GrantRow => ({ name: 'P', ...holder, isProhibition })
  const states = [[], [at(false)], [at(true)], [at(false), at(true)]]
  return everySide(rest).flatMap((other) => states.map((rows) => ({ chain, rows: [...rows, ...other.rows] })))
}

const cases = [
  ...everySide(user).map((side) => [side]),
  ...everySide(user.slice(0, 3)).flatMap((owner) => everySide(key).map((own) => [own, owner])),
]

test.each([{}, { providers: ['C'] as const }, { providers: ['U', 'AK'] as const }])(
  'each way to turn a verdict round does so, and no part of it can be left out, for %j',
  (permission) => {
    for (const sides of cases) {
      const before = isGrantedBy(permission, sides)
      for (const changes of flips(permission, sides)) {
        expect(isGrantedBy(permission, changed(sides, changes))).toBe(!before)
        for (const left of changes)
          expect(
            isGrantedBy(
              permission,
              changed(
                sides,
                changes.filter((one) => one !== left),
              ),
            ),
          ).toBe(before)
      }
    }
  },
)

function changed(sides: readonly Side[], changes: readonly HolderChange[]): Side[] {
  return sides.map(({ chain, rows }) => {
    const concerns = ({ providerName, providerKey }: HolderChange) =>
      chain.some((holder) => holder.providerName === providerName && holder.providerKey === providerKey)
    return { chain, rows: afterChanges('P', rows, changes.filter(concerns)) }
  })
}

const Customer = defineRole('Customer')
const Operator = defineRole('Operator', { parents: [Customer] })
const Analyst = defineRole('Analyst', { parents: [Customer] })
const Owner = defineRole('Owner', { parents: [Operator, Analyst] })
const hierarchy = new Map([Customer, Operator, Analyst, Owner].map((role) => [role.name, role]))

test('a role that is inherited says through which roles', () => {
  expect(Object.fromEntries(rolePaths(['Owner', 'Made at run time'], hierarchy))).toEqual({
    Owner: ['Owner'],
    Operator: ['Owner', 'Operator'],
    Customer: ['Owner', 'Operator', 'Customer'],
    Analyst: ['Owner', 'Analyst'],
    'Made at run time': ['Made at run time'],
  })
})

test('below a role is who inherits from it', () => {
  expect([rolesBelow('Analyst', hierarchy), rolesBelow('Made at run time', hierarchy)]).toEqual([
    ['Analyst', 'Owner'],
    ['Made at run time'],
  ])
})
