import type { Role } from '@keel/framework/contracts'
import { CustomerAdmin, DefaultCustomer, Operator, PricingAnalyst } from './roles.js'

/** A person of demo data. The user's id is `namedGuid('User:<userName>')`. */
export interface DemoPerson {
  readonly userName: string
  readonly name: string
  readonly surname: string
  readonly role: Role
}

const firstNames =
  'Ada Bo Cem Dana Eli Fay Gus Hana Ivo Jun Kai Lea Milo Nina Omar Pia Quin Rosa Sven Tara'.split(' ')
const surnames = 'Adler Brandt Costa Demir Evers Fabre Gallo Haas Ito Jansen Kaya Lopez Meyer'.split(' ')

/** People of customers, with a key user among five. With {@link demoStaff} and the users of every Development database they are 60. */
export const demoCustomers: readonly DemoPerson[] = people('customer', 46, (number) =>
  number % 5 === 0 ? CustomerAdmin : DefaultCustomer,
)

/** People of the forwarder. */
export const demoStaff: readonly DemoPerson[] = people('operator', 6, (number) =>
  number % 3 === 0 ? PricingAnalyst : Operator,
)

/** People with numbers from 2 on in their user names, and no full name twice. */
function people(userName: string, count: number, roleOf: (number: number) => Role): DemoPerson[] {
  return Array.from({ length: count }, (_, index) => ({
    userName: `${userName}${index + 2}`,
    name: firstNames[index % firstNames.length] ?? '',
    surname: surnames[(index * 3) % surnames.length] ?? '',
    role: roleOf(index + 2),
  }))
}
