import { ambient, type Constructor, Injectable } from '@keel/framework'
import type { RowScope } from '@keel/framework/data'
import { hasPermission } from '@keel/framework/security'

/** Which rows of users a caller sees. */
export interface OwnRows {
  readonly userId: string | null
  /** True for rows of everybody. */
  readonly all: boolean
}

/**
 * The scope of rows that belong to users: those of the caller, or all of them for callers with a permission and for the program itself.
 * @example
 * @Injectable()
 * export class ExportOwners extends OwnRowsUnless(ExportSchedulePermissions.ManageAll) {}
 */
export function OwnRowsUnless(permission: string): Constructor<RowScope<OwnRows>> {
  @Injectable()
  class OwnRowsScope implements RowScope<OwnRows> {
    current(): OwnRows {
      const { kind, userId } = ambient().principal
      return { userId: userId ?? null, all: kind === 'system' || hasPermission(permission) }
    }
  }
  return OwnRowsScope
}
