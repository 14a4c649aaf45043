import {
  AuditedPlatformEntity,
  Column,
  DataType,
  Entity,
  OptionalColumn,
  type RowScope,
  rowRule,
  sql,
} from '@keel/framework/data'
import { SavedViewErrors } from '../contracts/index.js'

/** The user whose views a caller sees, and with whom views may be shared that the caller sees besides. */
export interface SavedViewReader {
  /** Null for callers without a user. */
  readonly userId: string | null
  /** The roles that the user holds directly. */
  readonly roles: readonly string[]
  /** The organizations that the user is a member of. */
  readonly organizationIds: readonly string[]
}

/** Extension point: who reads saved views at the moment. */
export abstract class SavedViewReaders implements RowScope<SavedViewReader> {
  abstract current(): Promise<SavedViewReader>
}

/** The views that a caller saved, and those that others share with the caller. */
export const viewsOfCaller = rowRule(
  SavedViewReaders,
  ({ userId, roles, organizationIds }, t) => sql`(${t}."UserId" = ${userId}::uuid
    or ${t}."SharedRoleName" = any(${roles}::text[])
    or ${t}."SharedOrganizationId" = any(${organizationIds}::uuid[]))`,
)

/** The conditions, columns and order of a list, as a user saved them. */
@Entity('AppSavedViews', {
  rules: [viewsOfCaller],
  conflicts: { IX_AppSavedViews_UserId_EntitySet_Name: SavedViewErrors.NameAlreadyExists },
  indexes: [
    { attributes: ['userId', 'entitySet', 'name'], unique: true, where: '"IsDeleted" = false' },
    {
      attributes: ['userId', 'entitySet'],
      name: 'Default',
      unique: true,
      where: '"IsDeleted" = false and "IsDefault"',
    },
    { attributes: ['sharedRoleName'], where: '"SharedRoleName" is not null' },
    { attributes: ['sharedOrganizationId'], where: '"SharedOrganizationId" is not null' },
  ],
  checks: { Shared: '"SharedRoleName" is null or "SharedOrganizationId" is null' },
})
export class SavedView extends AuditedPlatformEntity {
  @Column(DataType.UUID) declare userId: string
  @Column(DataType.STRING(100)) declare name: string
  @Column(DataType.STRING(64)) declare entitySet: string
  @OptionalColumn(DataType.JSONB) declare filter: Record<string, unknown> | null
  @OptionalColumn(DataType.STRING(4000)) declare query: string | null
  @OptionalColumn(DataType.JSONB) declare columns: string[] | null
  @OptionalColumn(DataType.STRING(256)) declare sorting: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDefault: boolean
  @OptionalColumn(DataType.STRING(256)) declare sharedRoleName: string | null
  @OptionalColumn(DataType.UUID) declare sharedOrganizationId: string | null
}
