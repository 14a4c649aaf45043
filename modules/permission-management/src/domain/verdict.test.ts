import { defineRole, type GrantProvider } from '@keel/framework/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { afterChanges, flips, isGrantedBy, type Side } from './flips.js'
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

const chain = (['U', 'R', 'R', 'C'] as const).map((providerName, index) => ({
  providerName,
  providerKey: `${index}`,
}))
const sideOf = (holders: Side['chain']) =>
  fc
    .array(fc.constantFrom('none', 'grant', 'prohibition', 'both'), {
      minLength: holders.length,
      maxLength: holders.length,
    })
    .map(
      (states): Side => ({
        chain: holders,
        rows: holders.flatMap((holder, index) => {
          const state = states[index]
          const at = (isProhibition: boolean) => ({ name: 'P', ...holder, isProhibition })
          return [
            ...(state === 'grant' || state === 'both' ? [at(false)] : []),
            ...(state === 'prohibition' || state === 'both' ? [at(true)] : []),
          ]
        }),
      }),
    )
const sides = fc.oneof(
  fc.tuple(sideOf(chain)),
  fc.tuple(sideOf(chain.slice(0, 3)), sideOf([{ providerName: 'AK', providerKey: 'k' }])),
)
const restriction = fc.constantFrom({}, { providers: ['C'] as const }, { providers: ['U', 'AK'] as const })

test('each way to turn a verdict round does so, and no part of it can be left out', () => {
  fc.assert(
    fc.property(sides, restriction, (given, permission) => {
      const before = isGrantedBy(permission, given)
      const after = (changes: Parameters<typeof afterChanges>[2]) =>
        isGrantedBy(
          permission,
          given.map((side) => ({
            ...side,
            rows: afterChanges(
              'P',
              side.rows,
              changes.filter((change) =>
                side.chain.some(
                  (holder) =>
                    holder.providerName === change.providerName && holder.providerKey === change.providerKey,
                ),
              ),
            ),
          })),
        )
      for (const changes of flips(permission, given)) {
        expect(after(changes)).toBe(!before)
        for (const left of changes) expect(after(changes.filter((one) => one !== left))).toBe(before)
      }
    }),
  )
})

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
