import {
  AppService,
  Dto,
  EntityDto,
  enumerationName,
  guid,
  instant,
  op,
  PagedInput,
  pageOf,
  param,
  z,
} from '@keel/framework/contracts'
import { GrantChangeCause, GrantChangeKind } from './grant-changes.js'
import { PermissionManagement } from './permission-management.js'
import { providerKey, providerName } from './permissions.js'

/** A change to a holder's permission. Changes are never updated or deleted. */
export class PermissionGrantChangeDto extends EntityDto({
  changeTime: instant(),
  permissionName: z.string(),
  providerName: z.string(),
  providerKey: z.string(),
  /** The thing that it was granted on; null for ordinary permissions. */
  resourceName: z.string().nullable(),
  resourceKey: z.string().nullable(),
  kind: enumerationName('GrantChangeKind', GrantChangeKind),
  cause: enumerationName('GrantChangeCause', GrantChangeCause),
  /** The user who made the change, with the name of that time; null for the program itself. */
  userId: guid().nullable(),
  userName: z.string().nullable(),
  /** The client that it was done through. */
  clientId: z.string().nullable(),
  /** Of the request that did it. */
  correlationId: z.string().nullable(),
}) {}

/** Which changes are wanted: those that meet all that is given. The newest come first unless sorted otherwise. */
export class PermissionHistoryInput extends Dto({
  ...PagedInput.shape,
  providerName: z.string().max(64).nullish(),
  providerKey: z.string().max(64).nullish(),
  permissionName: z.string().max(128).nullish(),
  /** A kind of thing, and the key of one: what was granted on it. */
  resourceName: z.string().max(256).nullish(),
  resourceKey: z.string().max(256).nullish(),
  kind: enumerationName('GrantChangeKind', GrantChangeKind).nullish(),
  cause: enumerationName('GrantChangeCause', GrantChangeCause).nullish(),
  /** The user who made the change. */
  userId: guid().nullish(),
  /** The first moment that counts. */
  startTime: instant().nullish(),
  /** The first moment that doesn't count any more. */
  endTime: instant().nullish(),
}) {}

/** The own grants and prohibitions of a holder at a moment. Inherited ones are in the states of its roles. */
export class PermissionStateDto extends Dto({
  time: instant(),
  providerName: z.string(),
  providerKey: z.string(),
  granted: z.array(z.string()),
  prohibited: z.array(z.string()),
}) {}

/** The history of grants: permission, holder, time and author. */
export abstract class PermissionHistoryAppService extends AppService(
  PermissionManagement,
  'PermissionHistoryAppService',
  {
    /** Lists changes of grants, in pages. The newest come first unless sorted otherwise. */
    getList: op(PermissionHistoryInput)
      .returns(pageOf(PermissionGrantChangeDto))
      .at('GET', '/api/permission-management/history'),
    /**
     * Gets what a holder was granted and prohibited at a moment.
     * @param time The moment.
     */
    getStateAt: op(param('time', instant()), providerName, providerKey)
      .returns(PermissionStateDto)
      .at('GET', '/api/permission-management/permissions/at'),
  },
  'History of grants',
) {}
