import {
  AppService,
  Dto,
  EntityDto,
  FilteredPagedInput,
  guid,
  id,
  instant,
  listOf,
  op,
  pageOf,
  remoteService,
  secret,
  z,
} from '@keel/framework/contracts'

/** The remote service of API key management. */
export const ApiKeyManagement = remoteService(
  'ApiKeyManagement',
  'apiKeyManagement',
  undefined,
  undefined,
  'API keys',
)

/** The name of the policy that admits to API key management: whoever signed in, but no API key. */
export const apiKeyManagementPolicy = 'apiKeyManagement'

/** The error codes of API key management. */
export const ApiKeyErrors = {
  /** The user that a key is meant for does not exist, is inactive or is locked out. */
  OwnerUnavailable: 'ApiKeys:OwnerUnavailable',
  /** The user has as many keys as the setting `ApiKeys.MaxKeysPerUser` allows. */
  TooManyKeys: 'ApiKeys:TooManyKeys',
} as const

/** How long the secret before a rotation may go on working, in minutes. */
export const rotationOverlap = { defaultMinutes: 60, mostMinutes: 7 * 24 * 60 } as const

const fields = {
  name: z.string().trim().min(1).max(128),
  description: z.string().max(512).nullish(),
  /** From when on the key is refused; null for never. */
  expirationTime: instant().nullish(),
}

/** An API key without its secret, which nobody can read again. */
export class ApiKeyDto extends EntityDto({
  /** The start of the full key; safe to show. */
  prefix: z.string(),
  ...fields,
  /** The user that the key acts as. */
  userId: z.guid(),
  tenantId: z.guid().nullish(),
  isActive: z.boolean(),
  /** When the secret was replaced; null when it never was. */
  rotationTime: instant().nullish(),

  /** Until when the secret of before still works; null when it does not. */
  overlapEndTime: instant().nullish(),
  creationTime: instant(),
  creatorId: z.guid().nullish(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** An API key with its secret, which no later answer contains. */
export class ApiKeyWithSecretDto extends Dto({
  ...ApiKeyDto.shape,
  /** The full key, as it is sent in `X-Api-Key`. */
  key: secret(z.string()),
}) {}

/** Which keys are wanted. */
export class ApiKeyListInput extends Dto({
  ...FilteredPagedInput.shape,
  /** Those of one user. */
  userId: guid().nullish(),
  isActive: z.boolean().nullish(),
}) {}

/** The input for a new key. At first the key is granted all permissions that its owner has at this moment. */
export class CreateApiKeyDto extends Dto({
  ...fields,
  isActive: z.boolean().default(true),
  /** The owner; the caller when not given. Somebody else needs ApiKeys.ManageAll. */
  userId: guid().nullish(),
}) {}

/** The changes to a key; absent members keep their values. A stamp, when given, must be the current one. */
export class UpdateApiKeyDto extends Dto({
  ...Dto(fields).schema.partial().shape,
  isActive: z.boolean().optional(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** How a key gets a new secret. */
export class RotateApiKeyDto extends Dto({
  /** How long the secret of now goes on working; 0 ends it at once. */
  overlapMinutes: z.int().min(0).max(rotationOverlap.mostMinutes).default(rotationOverlap.defaultMinutes),
}) {}

/** A permission that a key or its owner has. It takes both for the key to have it. */
export class ApiKeyPermissionDto extends Dto({
  name: z.string(),
  /** True when the key was granted it. */
  isGranted: z.boolean(),
  /** True when the owner holds it now, by a grant or a role. */
  isHeldByOwner: z.boolean(),
}) {}

/** The permissions that a key or its owner has, by name. */
export class ApiKeyPermissionsDto extends Dto({ permissions: listOf(ApiKeyPermissionDto) }) {}

/** A permission to grant to a key, or to take from it. */
export class UpdateApiKeyPermissionDto extends Dto({
  name: z.string().min(1).max(128),
  isGranted: z.boolean(),
}) {}

/** The permissions to change; the others stay. */
export class UpdateApiKeyPermissionsDto extends Dto({
  permissions: listOf(UpdateApiKeyPermissionDto).max(1000),
}) {}

/** How often a permission let a key do something. */
export class ApiKeyPermissionUsageDto extends Dto({
  name: z.string(),

  /** How many operations it let the key call. */
  callCount: z.int(),
  lastUsedTime: instant(),
}) {}

/** The recorded uses of a key. Uses of the last seconds in other processes may be missing. */
export class ApiKeyUsageDto extends Dto({
  /** Null when it was never used. */
  lastUsedTime: instant().nullish(),

  /** How many requests it was used for. */
  requestCount: z.int(),
  /** Those that were used, most often first. */
  permissions: listOf(ApiKeyPermissionUsageDto),
  /** Those that the key was granted and that it never used. */
  neverUsedPermissions: z.array(z.string()),
}) {}

const path = '/api/api-key-management/api-keys'

/** Manages API keys: one's own, with ApiKeys.ManageAll anybody's. No API key may. */
export abstract class ApiKeyAppService extends AppService(
  ApiKeyManagement,
  'ApiKeyAppService',
  {
    /** Lists API keys without their secrets, in pages. */
    getList: op(ApiKeyListInput).returns(pageOf(ApiKeyDto)).at('GET', path),
    /** Gets an API key without its secret. */
    get: op(id).returns(ApiKeyDto).at('GET', `${path}/{id}`),
    /** Creates an API key. The answer is the only time that the key is told. */
    create: op(CreateApiKeyDto).returns(ApiKeyWithSecretDto).at('POST', path),
    /** Changes name, description, expiry or activity of an API key. What is absent stays. */
    update: op(id, UpdateApiKeyDto).returns(ApiKeyDto).at('PUT', `${path}/{id}`),
    /** Deletes an API key. It is refused from then on. */
    delete: op(id).at('DELETE', `${path}/{id}`),
    /** Gives an API key a new secret under the same prefix. The answer is the only time that it is told. */
    rotate: op(id, RotateApiKeyDto).returns(ApiKeyWithSecretDto).at('POST', `${path}/{id}/rotate`),
    /** Lists the permissions that an API key or its owner has. */
    getPermissions: op(id).returns(ApiKeyPermissionsDto).at('GET', `${path}/{id}/permissions`),
    /** Grants permissions to an API key or takes them away. The others stay. */
    updatePermissions: op(id, UpdateApiKeyPermissionsDto)
      .returns(ApiKeyPermissionsDto)
      .at('PUT', `${path}/{id}/permissions`),
    /** Tells what an API key was used for. */
    getUsage: op(id).returns(ApiKeyUsageDto).at('GET', `${path}/{id}/usage`),
    /** Takes from an API key the permissions that it was granted and never used. */
    narrow: op(id).returns(ApiKeyPermissionsDto).at('POST', `${path}/{id}/narrow`),
  },
  'API keys',
) {}
