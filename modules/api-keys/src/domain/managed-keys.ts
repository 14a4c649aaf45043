import { ambient, Injectable } from '@keel/framework'
import { type RowScope, rowRule, sql } from '@keel/framework/data'
import { ApiKeyPermissions } from '../contracts/index.js'

/** The keys that a caller manages. */
export interface ManagedKeysScope {
  readonly all: boolean
  readonly userId: string | null
}

/** Everybody manages their own keys; who holds ApiKeys.ManageAll anybody's. */
@Injectable()
export class ManagedKeys implements RowScope<ManagedKeysScope> {
  current(): ManagedKeysScope {
    const { permissions, userId = null } = ambient().principal
    return { all: permissions.has(ApiKeyPermissions.ManageAll), userId }
  }
}

/** The keys that a caller manages. */
export const keysOfCaller = rowRule(ManagedKeys, ({ all, userId }, t) =>
  all ? undefined : sql`${t}."UserId" = ${userId}::uuid`,
)
