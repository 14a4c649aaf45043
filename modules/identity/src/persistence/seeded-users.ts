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
} from '../contracts/index.js'

/** A user that the seeder makes. Its id is `namedGuid('User:<userName>')`, so that other seeds can point at it. */
export interface SeededUser {
  readonly userName: string
  readonly name: string
  readonly surname: string | null
  readonly role: Role
}

/** What seeded users sign in with, except in production, where they have no password until they set one. */
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
