import type { Principal } from '../modularity/principal.js'
import type { ApiKeySource, StoredApiKey } from './api-keys.js'
import { shareClaims } from './dynamic-claims.js'
import type { GrantSource } from './stored-user.js'

/** The principal of an API key: the permissions that the owner holds and that the key was granted. Both are required. */
export async function limitToKey(
  owner: Principal,
  { id, userId, tenantId }: Pick<StoredApiKey, 'id' | 'userId' | 'tenantId'>,
  { source, grants }: { readonly source: ApiKeySource; readonly grants: GrantSource },
): Promise<Principal> {
  const granted = await grants.grantedTo([{ providerName: 'AK', providerKey: id }])
  return shareClaims(owner, {
    kind: 'user',
    authenticationType: 'api-key',
    apiKeyId: id,
    userId,
    ...(owner.userName !== undefined && { userName: owner.userName }),
    ...(owner.user && { user: owner.user }),
    ...(tenantId && { tenantId }),
    // A role would let in beyond what the key was granted.
    roles: [],
    permissions: new Set(granted.filter((permission) => owner.permissions.has(permission))),
    noteUse: (permission) => source.noteUse(id, permission),
  })
}
