import {
  AppService,
  Dto,
  EntityDto,
  extraProperties,
  FilteredPagedInput,
  id,
  op,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { OpenIddictPro } from './open-iddict.js'

const address = z.string().trim().min(1).max(2000)
const addresses = z.array(address).max(100)
const names = z.array(z.string().min(1).max(200)).max(100)
const optionalAddress = z.string().trim().max(2000).nullish()

/** The properties and permissions of a client, as they can be set. */
const settings = {
  /** A native one may be sent back to a scheme of its own, or to this machine. */
  applicationType: z.enum(['web', 'native']),
  /** The id that the client presents: visible ASCII. */
  clientId: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[\x21-\x7e]+$/, 'OpenId:Validation:ClientId'),
  displayName: z.string().trim().min(1).max(200),
  /** A confidential one has a secret, a public one none. */
  clientType: z.enum(['public', 'confidential']).default('public'),

  /**
   * The consent type: it decides whether users are asked for their consent.
   * @example implicit
   */
  consentType: z.enum(['explicit', 'external', 'implicit', 'systematic']).default('implicit'),
  /** Must be https, http or, of a native client, its own scheme; without a fragment. */
  redirectUris: addresses.default([]),

  /** Where users may be sent after signing out. */
  postLogoutRedirectUris: addresses.default([]),
  /** `LinkLogin` and `Impersonation`. */
  extensionGrantTypes: names.default([]),
  allowPasswordFlow: z.boolean().default(false),
  /** Only a confidential client gets tokens in its own name. */
  allowClientCredentialsFlow: z.boolean().default(false),
  allowAuthorizationCodeFlow: z.boolean().default(false),
  allowRefreshTokenFlow: z.boolean().default(false),
  allowHybridFlow: z.boolean().default(false),
  allowImplicitFlow: z.boolean().default(false),
  /** Without it nobody is sent back to the client after signing out. */
  allowEndSessionEndpoint: z.boolean().default(false),
  /** Ask a confidential client for PKCE too; public ones always are. */
  forcePkce: z.boolean().default(false),
  /** The scopes that it may ask for beside `openid`; all must exist. */
  scopes: names.default([]),

  /** The home page of the client. */
  clientUri: optionalAddress,

  /** The address of the client's logo. */
  logoUri: optionalAddress,
  /** Not served: refused unless false. */
  allowTokenExchangeFlow: z.boolean().default(false),
  /** Not served: refused unless false. */
  allowDeviceAuthorizationEndpoint: z.boolean().default(false),
  /** Not served: refused unless false. */
  allowPushedAuthorizationEndpoint: z.boolean().default(false),
  /** Not served: refused unless false. */
  forcePushedAuthorization: z.boolean().default(false),
  /** Not served: refused unless empty. */
  frontChannelLogoutUri: optionalAddress,
  /** Not served: refused unless empty. */
  jsonWebKeySet: z.string().max(10_000).nullish(),
  extraProperties: extraProperties().default({}),
}

/** A new client. */
export class CreateApplicationInput extends Dto({
  ...settings,
  clientSecret: z.string().max(512).nullish(),
}) {}

/** A client as it is to be. Without a secret, a confidential client keeps the one it has. */
export class UpdateApplicationInput extends Dto({
  ...settings,
  clientSecret: z.string().max(512).nullish(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

const text = z.string().nullable()

/** A client that may ask for tokens. Its secret is never told. */
export class ApplicationDto extends EntityDto({
  /** `web` or `native`. */
  applicationType: text,
  clientId: z.string(),

  /** The name that people see. */
  displayName: text,

  /** `public` or `confidential`. */
  clientType: text,
  /** Always null. */
  clientSecret: text,

  /** The consent type: `explicit`, `external`, `implicit` or `systematic`. */
  consentType: text,

  /** Where users may be sent after signing in. */
  redirectUris: z.array(z.string()),

  /** Where users may be sent after signing out. */
  postLogoutRedirectUris: z.array(z.string()),
  extensionGrantTypes: z.array(z.string()),
  allowPasswordFlow: z.boolean(),
  allowClientCredentialsFlow: z.boolean(),
  allowAuthorizationCodeFlow: z.boolean(),
  allowRefreshTokenFlow: z.boolean(),
  allowHybridFlow: z.boolean(),
  allowImplicitFlow: z.boolean(),
  allowEndSessionEndpoint: z.boolean(),

  /** True makes a confidential client use PKCE, too. */
  forcePkce: z.boolean(),

  /** The scopes that it may ask for beside `openid`. */
  scopes: z.array(z.string()),
  clientUri: text,
  logoUri: text,
  allowTokenExchangeFlow: z.boolean(),
  allowDeviceAuthorizationEndpoint: z.boolean(),
  allowPushedAuthorizationEndpoint: z.boolean(),
  forcePushedAuthorization: z.boolean(),
  frontChannelLogoutUri: text,
  jsonWebKeySet: text,
  concurrencyStamp: z.string(),
  extraProperties: z.record(z.string(), z.unknown()),
}) {}

const days = 24 * 3600

/** The least and the greatest lifetime, in seconds, that the tokens of a client can be given. */
export const tokenLifetimeBounds = {
  accessTokenLifetime: [60, 1 * days],
  /** RFC 6749, section 4.1.2, wants ten minutes at most. */
  authorizationCodeLifetime: [30, 600],
  deviceCodeLifetime: [60, 3600],
  identityTokenLifetime: [60, 1 * days],
  refreshTokenLifetime: [60, 365 * days],
  userCodeLifetime: [60, 3600],
} as const

/** Seconds that each kind of a client's tokens lives; null where the server's default holds. */
export type TokenLifetimes = { readonly [Kind in keyof typeof tokenLifetimeBounds]: number | null }

/** Seconds within bounds, or null. */
function lifetime(kind: keyof TokenLifetimes) {
  const [least, greatest] = tokenLifetimeBounds[kind]
  return z.int().min(least).max(greatest).nullish()
}

/**
 * The lifetimes of a client's tokens as they are to be, in seconds. What is null or left out is the server's
 * default from then on.
 */
export class SetTokenLifetimeInput extends Dto({
  accessTokenLifetime: lifetime('accessTokenLifetime'),
  authorizationCodeLifetime: lifetime('authorizationCodeLifetime'),
  deviceCodeLifetime: lifetime('deviceCodeLifetime'),
  identityTokenLifetime: lifetime('identityTokenLifetime'),
  refreshTokenLifetime: lifetime('refreshTokenLifetime'),
  userCodeLifetime: lifetime('userCodeLifetime'),
  /** Not served: refused unless empty. */
  requestTokenLifetime: z.number().nullish(),
  /** Not served: refused unless empty. */
  issuedTokenLifetime: z.number().nullish(),
}) {}

const seconds = z.int().nullable()

/** The lifetimes of a client's tokens in seconds; null where the server's default holds. */
export class TokenLifetimeDto extends Dto({
  accessTokenLifetime: seconds,
  authorizationCodeLifetime: seconds,
  deviceCodeLifetime: seconds,
  identityTokenLifetime: seconds,
  refreshTokenLifetime: seconds,
  userCodeLifetime: seconds,
  /** Of pushed authorization requests, which are not served: always null. */
  requestTokenLifetime: seconds,
  /** Of exchanged tokens, which are not served: always null. */
  issuedTokenLifetime: seconds,
}) {}

/** Which clients: `filter` is a part of the id or the name. */
export class GetApplicationListInput extends Dto(FilteredPagedInput.shape) {}

/** A page of clients. */
export const ApplicationPage = pageOf(ApplicationDto)

const root = '/api/openiddict/applications'

/** The clients that may ask the auth server for tokens. What is changed counts there within a second. */
export abstract class ApplicationAppService extends AppService(OpenIddictPro, 'ApplicationAppService', {
  /** Lists clients, in pages. */
  getList: op(GetApplicationListInput).returns(ApplicationPage).at('GET', root),
  /** Gets a client without its secret. */
  get: op(id).returns(ApplicationDto).at('GET', `${root}/{id}`),
  /** Creates a client. */
  create: op(CreateApplicationInput).returns(ApplicationDto).at('POST', root),
  /** Changes a client. A confidential client keeps its secret when none is given. */
  update: op(id, UpdateApplicationInput).returns(ApplicationDto).at('PUT', `${root}/{id}`),
  /** Deletes a client. Its tokens are refused from then on. */
  delete: op(id).at('DELETE', root),
  /** Gets how long the tokens of a client live, in seconds. */
  getTokenLifetime: op(id).returns(TokenLifetimeDto).at('GET', `${root}/{id}/token-lifetime`),
  /** Sets the lifetimes of a client's tokens, in seconds, for tokens that are issued from then on. */
  setTokenLifetime: op(id, SetTokenLifetimeInput).at('PUT', `${root}/{id}/token-lifetime`),
}) {}
