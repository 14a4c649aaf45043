import { EntityDto, guid, instant, listOf, z } from '@keel/framework/contracts'
import { auditedFields } from './audited-fields.js'
import { IdentityRoleDto } from './identity-roles.js'

const unit = {
  tenantId: z.guid().nullable(),
  parentId: z.guid().nullable(),
  /** Where it is in the tree: `00001.00002` is the second below the first. */
  code: z.string(),
  displayName: z.string(),
  ...auditedFields,
}

/** An organization unit with the ids of its roles. */
export class OrganizationUnitDto extends EntityDto({
  ...unit,
  roles: z.array(
    z.object({
      organizationUnitId: guid(),
      roleId: guid(),
      creationTime: instant(),
      creatorId: z.guid().nullable(),
    }),
  ),
}) {}

/** An organization unit with its roles and how many members it has. */
export class OrganizationUnitWithDetailsDto extends EntityDto({
  ...unit,
  roles: listOf(IdentityRoleDto),
  userCount: z.int(),
}) {}
