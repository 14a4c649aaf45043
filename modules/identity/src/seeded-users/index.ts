// A door of its own: `npm start` names these users, and loads nothing else of this module.
import type { Role } from '@keel/framework/contracts'
import {
  Admin,
  CustomerAdmin,
  DefaultCustomer,
  OperationsManager,
  Operator,
  PricingAnalyst,
  PricingManager,
  SuperUser,
} from '../contracts/roles.js'

/** A seeded user. Its id is `namedGuid('User:<userName>')`, so that other seeds can refer to it. */
export interface SeededUser {
  readonly userName: string
  readonly name: string
  readonly surname: string | null
  /** `<userName>@keel.local` when not given. */
  readonly email?: string
  readonly role: Role
}

/** The password of seeded users in Development. It is published: no other environment gives it to anybody. */
export const seededPassword = '1q2w3E*'

/** In every environment. */
export const administrators: readonly SeededUser[] = [
  { userName: 'admin', name: 'admin', surname: null, role: Admin },
]

/** In Development: somebody in each role. */
export const demoUsers: readonly SeededUser[] = [
  { userName: 'customer', name: 'Clara', surname: 'Customer', role: DefaultCustomer },
  { userName: 'customeradmin', name: 'Carl', surname: 'Keyuser', role: CustomerAdmin },
  { userName: 'operator', name: 'Olga', surname: 'Operator', role: Operator },
  { userName: 'manager', name: 'Max', surname: 'Manager', role: OperationsManager },
  { userName: 'pricing', name: 'Paula', surname: 'Pricing', role: PricingAnalyst },
  { userName: 'pricingmanager', name: 'Peter', surname: 'Pricing', role: PricingManager },
  { userName: 'superuser', name: 'Sofia', surname: 'Super', role: SuperUser },
]
