import { AppService, Dto, EntityDto, id, instant, op, PagedInput, pageOf, z } from '@keel/framework/contracts'
import { Identity } from './identity.js'

const path = '/api/identity/security-logs'

/** Something that happened to an account. */
export class IdentitySecurityLogDto extends EntityDto({
  tenantId: z.guid().nullable(),

  /** The application that wrote the entry. */
  applicationName: z.string().nullable(),

  /** Which way of signing in it was about, e.g. `Identity` or `OpenIddict`. */
  identity: z.string().nullable(),
  /** One of `SecurityActions`. */
  action: z.string().nullable(),
  userId: z.guid().nullable(),
  /** The entered name when no user could be signed in. */
  userName: z.string().nullable(),
  tenantName: z.string().nullable(),

  /** The client that the request came through; null when none. */
  clientId: z.string().nullable(),
  correlationId: z.string().nullable(),
  clientIpAddress: z.string().nullable(),

  /** `User-Agent` of the request. */
  browserInfo: z.string().nullable(),
  creationTime: instant(),
  extraProperties: z.record(z.string(), z.unknown()),
}) {}

const text = z.string().trim().max(256).nullish()

/** Which entries; texts have to be equal in any case. Newest first, unless sorted otherwise. */
export class GetIdentitySecurityLogListInput extends Dto({
  ...PagedInput.shape,
  startTime: instant().nullish(),
  endTime: instant().nullish(),
  applicationName: text,
  identity: text,
  action: text,
  userName: text,
  clientId: text,
  correlationId: text,
  clientIpAddress: text,
}) {}

/** The security log. */
export abstract class IdentitySecurityLogAppService extends AppService(
  Identity,
  'IdentitySecurityLogAppService',
  {
    /** Lists the security log, in pages. */
    getList: op(GetIdentitySecurityLogListInput).returns(pageOf(IdentitySecurityLogDto)).at('GET', path),
    /** Gets an entry of the security log. */
    get: op(id).returns(IdentitySecurityLogDto).at('GET', `${path}/{id}`),
  },
) {}

/** A page of the security log. */
export type SecurityLogPage = InstanceType<ReturnType<typeof pageOf<typeof IdentitySecurityLogDto.shape>>>

/** Extension point: reads the security log, of one user if given. Provided by identity, in this process. */
export abstract class SecurityLogs {
  abstract getList(input: GetIdentitySecurityLogListInput, userId?: string): Promise<SecurityLogPage>
}
