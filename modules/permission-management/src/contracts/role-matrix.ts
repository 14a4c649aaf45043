import { AppService, Dto, listOf, op, z } from '@keel/framework/contracts'
import { PermissionManagement } from './permission-management.js'

/** The most roles that one matrix is asked for. */
export const mostMatrixRoles = 100

/** A place in the list of roles. */
const place = z.int()

/** A column of the matrix. */
export class MatrixRoleDto extends Dto({
  name: z.string(),

  /** The roles whose grants and prohibitions count for it too, the nearest first. */
  inherits: z.array(place),
}) {}

/** A row of the matrix. Roles are told by their places in the list of roles. */
export class MatrixPermissionDto extends Dto({
  name: z.string(),
  displayName: z.string(),

  /** The permission that it takes first; null for none. */
  parentName: z.string().nullable(),

  /** The roles that have it in the end: they or what they inherit from grant it, and none of these prohibits it. */
  holders: z.array(place),

  /** The roles that grant it themselves. */
  grantedBy: z.array(place),

  /** The roles that prohibit it themselves. */
  prohibitedBy: z.array(place),
}) {}

/** The permissions of one group, parents before their children. */
export class MatrixGroupDto extends Dto({
  name: z.string(),
  displayName: z.string(),
  permissions: listOf(MatrixPermissionDto),
}) {}

/** All permissions as they stand for roles. */
export class RoleMatrixDto extends Dto({
  /** The roles that were asked for, then further ones that these inherit from. */
  roles: listOf(MatrixRoleDto),

  /** True when there are more roles than a matrix has: the others can be asked for by name. */
  isCut: z.boolean(),
  groups: listOf(MatrixGroupDto),
}) {}

/** The roles of a matrix. */
export class RoleMatrixInput extends Dto({
  /** Their names; unknown ones are left out. All roles when not given, the first 100 by name. */
  roleNames: z.array(z.string().max(64)).max(mostMatrixRoles).nullish(),
}) {}

/** Roles against permissions. */
export abstract class RoleMatrixAppService extends AppService(
  PermissionManagement,
  'RoleMatrixAppService',
  {
    /** Gets all permissions as they stand for roles, with the roles that these inherit from. */
    get: op(RoleMatrixInput).returns(RoleMatrixDto).at('GET', '/api/permission-management/role-matrix'),
  },
  'Permissions of roles',
) {}
