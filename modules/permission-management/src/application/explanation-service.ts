import { Application, AutoApiController, ambient, type Principal } from '@keel/framework'
import {
  EntityNotFoundError,
  faultOf,
  type PermissionDefinition,
  ValidationError,
} from '@keel/framework/contracts'
import {
  Authenticated,
  AvailablePermissions,
  type GrantHolder,
  type Refusal,
  refusalsOf,
} from '@keel/framework/security'
import {
  type PermissionAnswer,
  type PermissionAnswerDto,
  PermissionExplanationAppService,
  type PermissionExplanationDto,
  type PermissionObstacle,
} from '../contracts/index.js'
import { flips, isGrantedBy, type Side } from '../domain/flips.js'
import { rolePaths } from '../domain/role-paths.js'
import { type GrantRow, verdictOf } from '../domain/verdict.js'
import { GrantHistory, type RecordedChange } from '../persistence/grant-history.js'
import { PermissionGrants } from '../persistence/permission-grants.js'
import { type FoundHolder, HolderAccess, keyOf } from './holder-access.js'
import { PermissionDefinitions } from './permission-definitions.js'

/** The holder that the question is about, and for an API key the user it acts for. */
interface Subject {
  readonly holder: FoundHolder
  readonly owner?: FoundHolder
}

type Texts = string | null | undefined

/** Answers from the rules and the rows that checks use. Everybody may ask about themselves, and of others who may manage them. */
@AutoApiController(PermissionExplanationAppService)
@Authenticated()
export class ExplanationService implements PermissionExplanationAppService {
  constructor(
    private readonly application: Application,
    private readonly holders: HolderAccess,
    private readonly definitions: PermissionDefinitions,
    private readonly grants: PermissionGrants,
    private readonly history: GrantHistory,
    private readonly available: AvailablePermissions,
  ) {}

  async explain(
    permission: Texts,
    providerName: Texts,
    providerKey: Texts,
    traceId: Texts,
  ): Promise<PermissionExplanationDto> {
    if (traceId) {
      const refusal = await this.refusal(traceId)
      return this.tell(await this.subject(actorOf(refusal.principal)), refusal.permission, refusal.time)
    }
    const missing = permission ? (providerName && !providerKey ? 'providerKey' : undefined) : 'permission'
    if (!permission || missing)
      throw new ValidationError([faultOf(missing ?? 'permission', 'Validation:Required')])
    const holder = providerName ? keyOf(providerName, providerKey ?? '') : actorOf(ambient().principal)
    if (providerName) await this.holders.demand(holder)
    return this.tell(await this.subject(holder), permission, null)
  }

  /** The last refusal of a trace id that the caller may know of. Callers choose trace ids, so others may have used the same. */
  private async refusal(traceId: string): Promise<Refusal> {
    const refusals = [...refusalsOf(traceId)].sort((a, b) => b.time.getTime() - a.time.getTime())
    const { principal } = ambient()
    const own = refusals.find((refusal) => isSame(refusal.principal, principal))
    const refusal = own ?? refusals[0]
    if (!refusal) throw new EntityNotFoundError('Refusal', traceId)
    if (!own) await this.holders.demand(actorOf(refusal.principal))
    return refusal
  }

  private async subject(key: GrantHolder): Promise<Subject> {
    const holder = await this.holders.find(key)
    if (holder.ownerId === undefined) return { holder }
    return { holder, owner: await this.holders.find({ providerName: 'U', providerKey: holder.ownerId }) }
  }

  private async tell(
    { holder, owner }: Subject,
    permission: string,
    refusalTime: Date | null,
  ): Promise<PermissionExplanationDto> {
    const isWithheld = (await this.available.withheld()).has(permission)
    const definition = isWithheld ? undefined : this.application.permissions.get(permission)
    const sides = await Promise.all(
      [holder, ...(owner ? [owner] : [])].map((side) => this.sideOf(side, permission)),
    )
    const speaking = sides.flatMap(({ rows }) => rows)
    const given = speaking.length ? await this.history.lastGiven(permission, speaking) : []
    const obstacle = obstacleOf(definition, owner ?? holder, this.application.clock.now)
    return {
      permission,
      displayName: this.definitions.displayName(permission, ambient().culture),
      providerName: holder.providerName,
      providerKey: holder.providerKey,
      holderDisplayName: holder.displayName,
      isGranted: obstacle === null && definition !== undefined && isGrantedBy(definition, sides),
      obstacle,
      answers: sides.flatMap((side, index) => this.answersOf(definition ?? {}, side, index > 0, given)),
      flips: obstacle === null && definition ? flips(definition, sides).map((changes) => ({ changes })) : [],
      refusalTime,
    }
  }

  private async sideOf({ chain, ...holder }: FoundHolder, permission: string): Promise<NamedSide> {
    const rows = await this.grants.rowsOf(chain, permission)
    const assigned = holder.user?.roles ?? (holder.providerName === 'R' ? [holder.providerKey] : [])
    return { chain, rows, paths: rolePaths(assigned, this.application.roles) }
  }

  private answersOf(
    definition: Pick<PermissionDefinition, 'providers'>,
    { chain, rows, paths }: NamedSide,
    isOwners: boolean,
    given: readonly RecordedChange[],
  ): PermissionAnswerDto[] {
    return chain.map((holder) => {
      const verdict: keyof typeof PermissionAnswer = verdictOf(
        definition,
        rows.filter((row) => isSameHolder(row, holder)),
      )
      const change = given.find((one) => isSameHolder(one, holder) && one.kind === verdict)
      return {
        ...holder,
        answer: verdict,
        path: holder.providerName === 'R' ? [...(paths.get(holder.providerKey) ?? [])] : [],
        isOwners,
        changeTime: change?.changeTime ?? null,
        cause: change?.cause ?? null,
        userId: change?.userId ?? null,
        userName: change?.userName ?? null,
      }
    })
  }
}

interface NamedSide extends Side {
  readonly paths: ReadonlyMap<string, readonly string[]>
}

/** The acting holder: an API key rather than the user it stands for. */
function actorOf({ apiKeyId, userId, clientId = '' }: Principal): GrantHolder {
  if (apiKeyId !== undefined) return { providerName: 'AK', providerKey: apiKeyId }
  return userId === undefined
    ? { providerName: 'C', providerKey: clientId }
    : { providerName: 'U', providerKey: userId }
}

const isSame = (a: Principal, b: Principal): boolean => isSameHolder(actorOf(a), actorOf(b))

const isSameHolder = (a: GrantHolder | GrantRow, b: GrantHolder): boolean =>
  a.providerName === b.providerName && a.providerKey === b.providerKey

function obstacleOf(
  definition: PermissionDefinition | undefined,
  { user }: FoundHolder,
  now: Date,
): keyof typeof PermissionObstacle | null {
  if (!definition) return 'NotDefined'
  if (user && !user.isActive) return 'UserInactive'
  return user?.lockoutEnd && user.lockoutEnd > now ? 'UserLockedOut' : null
}
