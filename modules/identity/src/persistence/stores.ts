import { StoreOf } from '@keel/framework/data'
import { ClaimType } from '../domain/claim-type.js'
import { OrganizationUnit } from '../domain/organization-unit.js'
import { Role } from '../domain/role.js'
import { User } from '../domain/user.js'

/** Loads and writes users that are not deleted. */
export class UserStore extends StoreOf(User) {}

/** Loads and writes roles. */
export class RoleStore extends StoreOf(Role) {}

/** Loads and writes organization units that are not deleted. */
export class OrganizationUnitStore extends StoreOf(OrganizationUnit) {}

/** Loads and writes claim types. */
export class ClaimTypeStore extends StoreOf(ClaimType) {}
