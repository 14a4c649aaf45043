import { ContactDepartment, OrganizationAddressType } from '../../contracts/enumerations.js'
import type { DemoRow } from './demo-table.js'
import { cityOf, type DemoOrganizations } from './organizations.js'
import { Draws, demoId, Stream } from './random.js'
import { portIdOf } from './reference-ids.js'

/** Two of three companies have a warehouse beside their office. */
const hasWarehouse = (ordinal: number): boolean => ordinal % 3 !== 2

export const addressCount = (organizations: DemoOrganizations): number =>
  organizations.length + organizations.filter(({ ordinal }) => hasWarehouse(ordinal)).length

/** Rows of HubOrganizationAddresses. */
export function* organizationAddressRows(
  seed: number,
  now: Date,
  organizations: DemoOrganizations,
): Iterable<DemoRow> {
  for (const { id, ordinal, unLocode } of organizations) {
    const draws = new Draws(seed, Stream.OrganizationAddress, ordinal)
    const { Office, Warehouse } = OrganizationAddressType
    for (const [index, type] of (hasWarehouse(ordinal) ? [Office, Warehouse] : [Office]).entries())
      yield {
        Id: demoId(Stream.OrganizationAddress, seed, ordinal, index),
        OrganizationId: id,
        AddressType: type,
        Code: type === Office ? 'OFFICE' : 'WH1',
        Line1: `${draws.pick(streets)} ${1 + draws.below(180)}`,
        City: cityOf(unLocode),
        PostalCode: draws.digits(5),
        CountryCode: unLocode.slice(0, 2),
        PortId: portIdOf(unLocode),
        IsDefault: true,
        CreationTime: now,
      }
  }
}

/** Each company has two people to talk to. */
export const contactCount = (organizations: DemoOrganizations): number => organizations.length * 2

/** Rows of HubOrganizationContacts. */
export function* organizationContactRows(
  seed: number,
  now: Date,
  organizations: DemoOrganizations,
): Iterable<DemoRow> {
  for (const { id, ordinal, code } of organizations) {
    const draws = new Draws(seed, Stream.OrganizationContact, ordinal)
    for (let index = 0; index < 2; index++) {
      const [first, last] = [draws.pick(firstNames), draws.pick(lastNames)]
      yield {
        Id: demoId(Stream.OrganizationContact, seed, ordinal, index),
        OrganizationId: id,
        FullName: `${first} ${last}`,
        JobTitle: index === 0 ? 'Logistics manager' : draws.pick(['Buyer', 'Accountant', 'Warehouse lead']),
        Email: `${first}.${last}@${code.toLowerCase()}.example`.toLowerCase(),
        Phone: draws.optional(`+49 40 555 ${draws.digits(4)}`),
        Department:
          index === 0
            ? ContactDepartment.Operations
            : draws.pick([ContactDepartment.Finance, ContactDepartment.Warehouse]),
        ReceivesNotifications: index === 0,
        IsPrimary: index === 0,
        CreationTime: now,
      }
    }
  }
}

const streets =
  'Harbour Road;Quay Street;Dock Lane;Market Street;Canal Street;Mill Road;Station Road;Terminal Drive'.split(
    ';',
  )
const firstNames =
  'Ada Ben Carla Dan Elif Fei Grace Hugo Ines Jun Kira Leo Mina Noor Otto Paula Quan Rosa Sam Tara'.split(' ')
const lastNames =
  'Abel Berg Costa Dietz Engel Falk Garcia Hansen Ito Jansen Kim Lang Moreau Nowak Okafor Park Rossi Silva Tanaka Wong'.split(
    ' ',
  )
