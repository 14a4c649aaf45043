import {
  AppService,
  Dto,
  EntityDto,
  emailAddress,
  enumeration,
  guid,
  id,
  instant,
  op,
  PagedInput,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { AccessScope } from './enumerations.js'
import { Hub } from './hub.js'

/** An open invitation of an e-mail address to become a member of an organization. Nothing of it tells whether an account has the address. */
export class OrganizationInvitationDto extends EntityDto({
  organizationId: guid(),
  emailAddress: z.string(),
  accessScope: enumeration('AccessScope', AccessScope),

  /** When the membership will end; null for one without an end. */
  validUntil: instant().nullish(),

  /** When the last mail was sent. */
  invitationDate: instant(),

  /** Until when the link of the last mail works. */
  expirationTime: instant(),
}) {}

/** The input for an invitation. The access includes what is below unless it says otherwise. */
export class CreateOrganizationInvitationDto extends Dto({
  organizationId: guid(),
  emailAddress,

  /** The organization alone, or with everything below it. */
  accessScope: enumeration('AccessScope', AccessScope).optional(),

  /** When the membership will end; null for no end. */
  validUntil: instant().nullish(),
}) {}

/** The input of the list of open invitations. */
export class OrganizationInvitationListInput extends Dto({
  ...PagedInput.shape,

  /** The organization that the invitations lead into. */
  organizationId: guid(),
}) {}

/**
 * Invitations of people, by mail, to become members of organizations. New people choose user name and password, and get the roles of new users;
 * people with an account sign in to it. The membership begins when the invitation is accepted, if its sender may still give it. A caller who does
 * not see all organizations invites into the caller's own, and gives no more access than the caller has. An invitation ends after a week.
 */
export abstract class OrganizationInvitationAppService extends AppService(
  Hub,
  'OrganizationInvitationAppService',
  {
    /** Lists the open invitations into an organization, the newest first. */
    getList: op(OrganizationInvitationListInput).returns(pageOf(OrganizationInvitationDto)),
    /** Mails an invitation. An address that is invited already gets a new link, and this access instead. */
    create: op(CreateOrganizationInvitationDto).returns(OrganizationInvitationDto),
    /** Mails an open invitation again, with a new link: the one before ends. */
    resend: op(id).returns(OrganizationInvitationDto),
    /** Takes an open invitation back. */
    delete: op(id),
  },
) {}
