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

/** What became of a permission at a holder. Nobody changes or deletes these. */
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
  /** Who did it, by the name they had then; null for the program itself. */
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
  /** Who did it. */
  userId: guid().nullish(),
  /** The first moment that counts. */
  startTime: instant().nullish(),
  /** The first moment that doesn't count any more. */
  endTime: instant().nullish(),
}) {}

/** What a holder itself was granted and prohibited at a moment; what it inherited is told by its roles. */
export class PermissionStateDto extends Dto({
  time: instant(),
  providerName: z.string(),
  providerKey: z.string(),
  granted: z.array(z.string()),
  prohibited: z.array(z.string()),
}) {}

/** Who was granted what, when and by whom. */
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
