import { defineRole } from '@keel/framework/contracts'

/** Any user of a customer; every new user gets it. */
export const DefaultCustomer = defineRole('DefaultCustomer', { isDefault: true })
/** The key user of a customer. */
export const CustomerAdmin = defineRole('CustomerAdmin', { parents: [DefaultCustomer] })
/** Forwarding operations. */
export const Operator = defineRole('Operator', { parents: [DefaultCustomer] })
/** Branch management. */
export const OperationsManager = defineRole('OperationsManager', { parents: [Operator] })
/** The rate desk. */
export const PricingAnalyst = defineRole('PricingAnalyst', { parents: [DefaultCustomer] })
/** Head of pricing. */
export const PricingManager = defineRole('PricingManager', { parents: [PricingAnalyst] })
/** The owner of the application. */
export const SuperUser = defineRole('SuperUser', {
  parents: [CustomerAdmin, OperationsManager, PricingManager],
})
/** Platform administrators. */
export const InternalAdmin = defineRole('InternalAdmin', { parents: [SuperUser] })
/** The seeded administrators; can't be renamed or deleted. */
export const Admin = defineRole('admin', { parents: [InternalAdmin], isStatic: true, isAdministrator: true })

/** Every role of the product, parents first. */
export const productRoles = [
  DefaultCustomer,
  CustomerAdmin,
  Operator,
  OperationsManager,
  PricingAnalyst,
  PricingManager,
  SuperUser,
  InternalAdmin,
  Admin,
] as const
