/** A holder of grants as people know it. */
export interface NamedHolder {
  /** The key of the holder in grants: a role's name, a client's id, the id of an API key. */
  readonly providerKey: string
  readonly displayName: string
  /** The user that an API key acts for. */
  readonly ownerId?: string
}

/** A user with the names of their roles. */
export interface RoleMember {
  readonly userId: string
  readonly userName: string
  readonly roles: readonly string[]
}

/** Members of roles: as many as were asked for, and how many there are. */
export interface RoleMembers {
  readonly totalCount: number
  readonly members: readonly RoleMember[]
}

/** Holders of one kind, found by what people call them. */
export interface HolderDirectory {
  /** Holders whose name contains a text, by name; all of them for an empty text. Runs one statement. */
  search(text: string, skip: number, limit: number): Promise<readonly NamedHolder[]>
  /** Those of the keys that there are. One statement. */
  named(keys: readonly string[]): Promise<readonly NamedHolder[]>
}

/** Extension point: users as permission management shows them. The identity module provides it. */
export abstract class UserHolders implements HolderDirectory {
  abstract search(text: string, skip: number, limit: number): Promise<readonly NamedHolder[]>
  abstract named(userIds: readonly string[]): Promise<readonly NamedHolder[]>
  /** Active users who hold at least one of the roles, however they came to it, by name. One statement. */
  abstract inRoles(roleNames: readonly string[], limit: number): Promise<RoleMembers>
  /** Those of the users who exist and are active. One statement. */
  abstract withIds(userIds: readonly string[]): Promise<readonly RoleMember[]>
}

/** Extension point: roles by name. The identity module provides it. */
export abstract class RoleHolders implements HolderDirectory {
  abstract search(text: string, skip: number, limit: number): Promise<readonly NamedHolder[]>
  abstract named(roleNames: readonly string[]): Promise<readonly NamedHolder[]>
  /** The role, or undefined when there is none. */
  abstract find(roleName: string): Promise<NamedHolder | undefined>
}

/** Extension point: OAuth clients by client id. Without a provider every client id counts as one. */
export abstract class ClientHolders implements HolderDirectory {
  abstract search(text: string, skip: number, limit: number): Promise<readonly NamedHolder[]>
  abstract named(clientIds: readonly string[]): Promise<readonly NamedHolder[]>
  abstract find(clientId: string): Promise<NamedHolder | undefined>
}

/** Extension point: API keys by id. Without a provider there are none. */
export abstract class ApiKeyHolders {
  /** The key with its owner, or undefined when there is none. */
  abstract find(apiKeyId: string): Promise<NamedHolder | undefined>
  /** Those of the keys that there are. One statement. */
  abstract named(apiKeyIds: readonly string[]): Promise<readonly NamedHolder[]>
  /** The keys of these users. One statement. */
  abstract ofOwners(userIds: readonly string[]): Promise<readonly NamedHolder[]>
}
