import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { AddressRole } from '../contracts/enumerations.js'
import { isHiddenFrom, visibleOrganizationIds } from './shipment-visibility.js'

test('an organisation in two roles counts once, one-off parties not at all', () => {
  const visible = visibleOrganizationIds([
    { role: AddressRole.Consignor, organizationId: 'acme' },
    { role: AddressRole.Consignee, organizationId: null },
    { role: AddressRole.ControllingCustomer, organizationId: 'acme' },
    { role: AddressRole.NotifyParty, organizationId: 'bolt' },
  ])
  assert.deepEqual(visible, ['acme', 'bolt'])
})

test('picking up, delivering and carrying do not show the shipment, everything else does', () => {
  const roles = Object.values(AddressRole).filter((role) => typeof role === 'number')
  const seeing = visibleOrganizationIds(roles.map((role) => ({ role, organizationId: AddressRole[role] })))
  assert.deepEqual(
    roles.map((role) => AddressRole[role]).filter((name) => !seeing.includes(name)),
    ['PickupFrom', 'DeliverTo', 'Carrier'],
  )
})

test.for([
  [[], false],
  [[{ role: AddressRole.Consignor, organizationId: 'ours' }], false],
  [[{ role: AddressRole.Consignor, organizationId: 'theirs' }], true],
  [[{ role: AddressRole.Carrier, organizationId: 'theirs' }], false],
  [[{ role: AddressRole.Consignor, organizationId: null }], false],
] as const)('of a caller of "ours" the parties %j hide a shipment: %s', ([parties, isHidden]) => {
  expect(isHiddenFrom({ all: false, organizationIds: ['ours'] }, parties)).toBe(isHidden)
})

test('no parties hide a shipment from who sees all', () => {
  const parties = [{ role: AddressRole.Consignor, organizationId: 'theirs' }]
  expect(isHiddenFrom({ all: true, organizationIds: [] }, parties)).toBe(false)
})
