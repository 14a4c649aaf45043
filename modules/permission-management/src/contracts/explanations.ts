import {
  AppService,
  Dto,
  enumerationName,
  guid,
  instant,
  listOf,
  op,
  param,
  z,
} from '@keel/framework/contracts'
import { GrantChangeCause, GrantChangeKind } from './grant-changes.js'
import { PermissionManagement } from './permission-management.js'

/**
 * The answer of a holder for a permission. A prohibition wins over all grants; undefined counts as not
 * granted.
 */
export enum PermissionAnswer {
  Undefined = 0,
  Granted = 1,
  Prohibited = 2,
}

/** Why somebody has no permission at all, whatever they were granted. */
export enum PermissionObstacle {
  /** No module of this host defines the permission. */
  NotDefined = 0,
  UserInactive = 1,
  UserLockedOut = 2,
}

/** The answer of one holder that counts for the asked one, and the change that led to it. */
export class PermissionAnswerDto extends Dto({
  providerName: z.string(),
  providerKey: z.string(),
  answer: enumerationName('PermissionAnswer', PermissionAnswer),
  /** For a role that is inherited: the roles from the one that was assigned down to this one. */
  path: z.array(z.string()),
  /** True for what counts for the owner of an API key: a key has what its owner has and the key was granted. */
  isOwners: z.boolean(),
  /** Since when, and by whom; null where nothing is known, and for who says nothing. */
  changeTime: instant().nullable(),
  cause: enumerationName('GrantChangeCause', GrantChangeCause).nullable(),
  userId: guid().nullable(),
  userName: z.string().nullable(),
}) {}

/** A change of what a holder is granted. */
export class GrantChangeDto extends Dto({
  kind: enumerationName('GrantChangeKind', GrantChangeKind),
  providerName: z.string(),
  providerKey: z.string(),
}) {}

/** Changes that, made together, turn a yes into a no or the other way round. */
export class PermissionFlipDto extends Dto({ changes: listOf(GrantChangeDto) }) {}

/** Why somebody has a permission or not. */
export class PermissionExplanationDto extends Dto({
  /** The name of the permission. */
  permission: z.string(),
  displayName: z.string(),
  providerName: z.string(),
  providerKey: z.string(),
  holderDisplayName: z.string(),
  /** The result of a check at this moment. */
  isGranted: z.boolean(),

  /** Why there is no permission whatever was granted; null when nothing stands in the way. */
  obstacle: enumerationName('PermissionObstacle', PermissionObstacle).nullable(),
  /** Every holder that counts, the most specific first. */
  answers: listOf(PermissionAnswerDto),
  /** Each is enough; none when no grant can change it. */
  flips: listOf(PermissionFlipDto),
  /** When the request was refused that was asked for by its trace id. */
  refusalTime: instant().nullable(),
}) {}

const text = (name: string, longest: number) => param(name, z.string().max(longest).nullish())

/** Why holders have permissions or not: every holder that counts, and what would change the answer. */
export abstract class PermissionExplanationAppService extends AppService(
  PermissionManagement,
  'PermissionExplanationAppService',
  {
    /**
     * Explains why a holder has a permission or not. The holder is the caller when none is given. With the
     * trace id of a request that this process refused lately (`X-Correlation-Id` of the answer), neither a
     * permission nor a holder is needed.
     * @param permission The name of the permission, e.g. `Shipment.View`.
     * @param traceId The correlation id of a refused request.
     */
    explain: op(
      text('permission', 128),
      text('providerName', 64),
      text('providerKey', 64),
      text('traceId', 64),
    )
      .returns(PermissionExplanationDto)
      .at('GET', '/api/permission-management/explain'),
  },
  'Explanations',
) {}
