import { type Configuration, configurationSection } from '@keel/framework'
import { type Role, z } from '@keel/framework/contracts'
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
import { isUserName } from '../domain/user-name.js'

/** A seeded user. Its id is `namedGuid('User:<userName>')`, so that other seeds can refer to it. */
export interface SeededUser {
  readonly userName: string
  readonly name: string
  readonly surname: string | null
  /** `<userName>@keel.local` when not given. */
  readonly email?: string
  readonly role: Role
}

/**
 * People of a deployment who are to be administrators, beside {@link administrators}. An entry `admin` says
 * more of that one.
 */
export const SeededAdministrators = configurationSection('Identity', {
  /** Their user names, with names and e-mail addresses if wanted. */
  administrators: z
    .array(
      z.object({
        userName: z.string().max(256).refine(isUserName, 'letters, digits and -._@+'),
        name: z.string().max(64).optional(),
        surname: z.string().max(64).optional(),
        email: z.email().max(256).optional(),
      }),
    )
    .default([]),
})

/** Every administrator that this configuration asks for. */
export function administratorsOf(configuration: Configuration): SeededUser[] {
  const named = configuration.read(SeededAdministrators).administrators
  const users = new Map(administrators.map((user) => [user.userName.toLowerCase(), user]))
  for (const { userName, name = userName, surname = null, email } of named)
    users.set(userName.toLowerCase(), { userName, name, surname, email, role: Admin })
  return [...users.values()]
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
