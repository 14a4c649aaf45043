import { AppService, Dto, guid, listOf, op, z } from '@keel/framework/contracts'
import { AbpAccount } from './account.js'

const target = { userId: guid(), tenantId: guid().nullish() }

/** Another account. */
export class LinkedUserInput extends Dto(target) {}

/** Another account, with the token that its owner made while signed in to it. */
export class LinkUserInput extends Dto({
  ...target,
  /** The token that the owner of the other account made. */
  token: z.string().max(512),
}) {}

/** An account that is linked with the caller's. */
export class LinkUserDto extends Dto({
  targetUserId: guid(),
  targetUserName: z.string(),
  targetTenantId: guid().nullable(),
  targetTenantName: z.string().nullable(),
  /** False for what is only linked with one that is linked. */
  directlyLinked: z.boolean(),
}) {}

/** Accounts of the same person. */
export class LinkUserListDto extends Dto({ items: listOf(LinkUserDto) }) {}

/** Links between accounts of one person. */
export abstract class LinkUserAppService extends AppService(
  AbpAccount,
  'LinkUserAppService',
  {
    /** Lists the accounts that are linked with the caller's, directly or through others. */
    getAllList: op().returns(LinkUserListDto).at('GET', '/api/account/link-user'),
    /** Makes a token that lets the owner of another account link it with the caller's. */
    generateLinkToken: op().returns(z.string()).at('POST', '/api/account/link-user/generate-link-token'),
    /** Tells whether a token to link accounts is valid. */
    verifyLinkToken: op(LinkUserInput)
      .returns(z.boolean())
      .at('POST', '/api/account/link-user/verify-link-token'),
    /** Makes a token to change to a linked account without a password. */
    generateLinkLoginToken: op()
      .returns(z.string())
      .at('POST', '/api/account/link-user/generate-link-login-token'),
    /** Tells whether a token to change to a linked account is valid. */
    verifyLinkLoginToken: op(LinkUserInput)
      .returns(z.boolean())
      .at('POST', '/api/account/link-user/verify-link-login-token'),
    /** Links another account with the caller's. */
    link: op(LinkUserInput).at('POST', '/api/account/link-user/link'),
    /** Tells whether another account is linked with the caller's. */
    isLinked: op(LinkedUserInput).returns(z.boolean()).at('POST', '/api/account/link-user/is-linked'),
    /** Ends the link between another account and the caller's. */
    unlink: op(LinkedUserInput).at('POST', '/api/account/link-user/unlink'),
  },
  'Linked accounts',
) {}
