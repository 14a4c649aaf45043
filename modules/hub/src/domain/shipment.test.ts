import { expect, test } from 'vitest'
import { AddressRole } from '../contracts/index.js'
import { controllingCustomerOf, doublyPlayedRole, type Party, withSequences } from './shipment.js'

const { Consignor, Consignee, ControllingCustomer, NotifyParty, Buyer } = AddressRole

test.for<[Party[], AddressRole | undefined]>([
  [[], undefined],
  [[{ role: Consignor }, { role: Consignee }], undefined],
  [[{ role: Consignor }, { role: Consignee }, { role: Consignor }], Consignor],
  [[{ role: NotifyParty }, { role: NotifyParty }], undefined],
  [
    [
      { role: NotifyParty, sequence: 0 },
      { role: NotifyParty, sequence: 1 },
    ],
    undefined,
  ],
  [
    [
      { role: NotifyParty, sequence: 1 },
      { role: NotifyParty, sequence: 1 },
    ],
    NotifyParty,
  ],
  [
    [
      { role: NotifyParty, sequence: 1 },
      { role: Buyer, sequence: 1 },
    ],
    undefined,
  ],
])('of %j the role that too many play is %s', ([parties, role]) => {
  expect(doublyPlayedRole(parties)).toBe(role)
})

test.for<[Party[], number[]]>([
  [
    [{ role: Consignor }, { role: Consignee }],
    [0, 0],
  ],
  [
    [{ role: NotifyParty }, { role: NotifyParty }],
    [0, 1],
  ],
  [
    [{ role: NotifyParty }, { role: NotifyParty, sequence: 0 }],
    [1, 0],
  ],
  [
    [{ role: NotifyParty, sequence: 5 }, { role: NotifyParty }],
    [5, 0],
  ],
])('%j have the sequences %j', ([parties, sequences]) => {
  expect(withSequences(parties).map(({ sequence }) => sequence)).toEqual(sequences)
})

test('the controlling customer is the organization of the party in that role', () => {
  const parties = [
    { role: Consignor, organizationId: 'a' },
    { role: ControllingCustomer, organizationId: 'b' },
  ]
  expect([controllingCustomerOf(parties), controllingCustomerOf([])]).toEqual(['b', null])
})
