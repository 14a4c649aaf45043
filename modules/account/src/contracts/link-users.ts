import { AppService, Dto, guid, listOf, op, z } from '@keel/framework/contracts'
import { AbpAccount } from './account.js'

const target = { userId: guid(), tenantId: guid().nullish() }

/** Another account. */
export class LinkedUserInput extends Dto(target) {}

/** Another account, with the token that its owner made while signed in to it. */
export class LinkUserInput extends Dto({ ...target, token: z.string().max(512) }) {}

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
export abstract class LinkUserAppService extends AppService(AbpAccount, 'LinkUserAppService', {
  getAllList: op().returns(LinkUserListDto).at('GET', '/api/account/link-user'),
  generateLinkToken: op().returns(z.string()).at('POST', '/api/account/link-user/generate-link-token'),
  verifyLinkToken: op(LinkUserInput)
    .returns(z.boolean())
    .at('POST', '/api/account/link-user/verify-link-token'),
  generateLinkLoginToken: op()
    .returns(z.string())
    .at('POST', '/api/account/link-user/generate-link-login-token'),
  verifyLinkLoginToken: op(LinkUserInput)
    .returns(z.boolean())
    .at('POST', '/api/account/link-user/verify-link-login-token'),
  link: op(LinkUserInput).at('POST', '/api/account/link-user/link'),
  isLinked: op(LinkedUserInput).returns(z.boolean()).at('POST', '/api/account/link-user/is-linked'),
  unlink: op(LinkedUserInput).at('POST', '/api/account/link-user/unlink'),
}) {}
