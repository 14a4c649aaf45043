import { erasedName, type Person, personalRows, sql } from '@keel/framework/data'
import { SecurityLogSettings } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { UserInvitation } from './invitation.js'
import { MembershipInvitation } from './membership-invitation.js'
import { UserOrganizationUnit } from './organization-unit.js'
import { SecurityLog } from './security-log.js'
import { IdentitySession } from './session.js'
import { User, UserRole } from './user.js'
import { UserClaim, UserLogin, UserPasskey, UserPasswordHistory, UserToken } from './user-parts.js'

/** An address that no mail reaches: RFC 2606 keeps `invalid` free. */
const erasedEmail = (person: Person): string => `${erasedName(person)}@keel.invalid`

/** What Identity keeps about persons. The user's own row comes last: until then an erasure that was interrupted finds the rest. */
export const identityPersonalData = [
  personalRows(IdentitySession, {
    name: 'sessions',
    of: ['userId'],
    exported: ['device', 'deviceInfo', 'clientId', 'ipAddresses', 'signedIn', 'lastAccessed'],
    withheld: ['sessionId'],
    erasure: 'delete',
  }),
  personalRows(SecurityLog, {
    name: 'security-log',
    of: ['userId'],
    exported: [
      ...(['creationTime', 'action', 'identity', 'userName', 'clientId'] as const),
      ...(['clientIpAddress', 'browserInfo', 'applicationName'] as const),
    ],
    withheld: ['correlationId'],
    retention: { time: 'creationTime', days: SecurityLogSettings.RetentionDays },
    erasure: { userName: erasedName, clientIpAddress: null, browserInfo: null, extraProperties: '{}' },
  }),
  personalRows(UserClaim, {
    name: 'claims',
    of: ['userId'],
    exported: ['claimType', 'claimValue'],
    erasure: 'delete',
  }),
  personalRows(UserRole, { name: 'roles', of: ['userId'], exported: ['roleId'], erasure: 'delete' }),
  personalRows(UserOrganizationUnit, {
    name: 'organization-units',
    of: ['userId'],
    exported: ['organizationUnitId', 'creationTime'],
    erasure: 'delete',
  }),
  personalRows(UserLogin, {
    name: 'external-logins',
    of: ['userId'],
    exported: ['loginProvider', 'providerDisplayName', 'providerKey'],
    erasure: 'delete',
  }),
  // The public key, counter and name of a passkey stand in one document: its id alone is told.
  personalRows(UserPasskey, {
    name: 'passkeys',
    of: ['userId'],
    exported: ['credentialId'],
    withheld: ['data'],
    erasure: 'delete',
  }),
  // Keys of authenticator apps, recovery codes.
  personalRows(UserToken, {
    name: 'sign-in-secrets',
    of: ['userId'],
    exported: ['loginProvider', 'name'],
    withheld: ['value'],
    erasure: 'delete',
  }),
  personalRows(UserPasswordHistory, {
    name: 'earlier-passwords',
    of: ['userId'],
    exported: ['createdAt'],
    withheld: ['password'],
    erasure: 'delete',
  }),
  personalRows(UserInvitation, {
    name: 'invitation',
    where: ({ email }, t) =>
      email === undefined ? sql`false` : sql`${t}."NormalizedEmail" = ${normalizedName(email)}`,
    exported: ['inviteeEmail', 'invitationDate', 'expirationTime', 'assignedRoles'],
    withheld: ['normalizedEmail', 'tokenHash', 'inviterId'],
    erasure: 'delete',
  }),
  personalRows(UserInvitation, {
    name: 'sent-invitations',
    of: ['inviterId'],
    exported: ['invitationDate', 'expirationTime', 'assignedRoles'],
    withheld: ['inviteeEmail', 'normalizedEmail', 'tokenHash'],
    erasure: 'delete',
  }),
  personalRows(MembershipInvitation, {
    name: 'membership-invitations',
    where: ({ email }, t) =>
      email === undefined ? sql`false` : sql`${t}."NormalizedEmail" = ${normalizedName(email)}`,
    exported: ['kind', 'groupId', 'groupName', 'inviteeEmail', 'terms', 'invitationDate', 'expirationTime'],
    withheld: ['normalizedEmail', 'permission', 'tokenHash', 'inviterId'],
    erasure: 'delete',
  }),
  personalRows(MembershipInvitation, {
    name: 'sent-membership-invitations',
    of: ['inviterId'],
    exported: ['kind', 'groupId', 'groupName', 'terms', 'invitationDate', 'expirationTime'],
    withheld: ['inviteeEmail', 'normalizedEmail', 'permission', 'tokenHash'],
    erasure: 'delete',
  }),
  personalRows(User, {
    name: 'user',
    isAccount: true,
    of: ['id'],
    exported: [
      ...(['userName', 'name', 'surname', 'email', 'emailConfirmed', 'phoneNumber'] as const),
      ...(['phoneNumberConfirmed', 'isActive', 'isExternal', 'twoFactorEnabled', 'lockoutEnd'] as const),
      ...(['lastSignInTime', 'lastPasswordChangeTime', 'creationTime', 'extraProperties'] as const),
    ],
    withheld: [
      ...(['normalizedUserName', 'normalizedEmail', 'passwordHash', 'securityStamp', 'leaved'] as const),
      ...(['lockoutEnabled', 'accessFailedCount', 'shouldChangePasswordOnNextLogin'] as const),
    ],
    erasure: {
      userName: erasedName,
      normalizedUserName: (person) => normalizedName(erasedName(person)),
      name: null,
      surname: null,
      email: erasedEmail,
      normalizedEmail: (person) => normalizedName(erasedEmail(person)),
      emailConfirmed: false,
      passwordHash: null,
      securityStamp: erasedName,
      phoneNumber: null,
      phoneNumberConfirmed: false,
      isActive: false,
      twoFactorEnabled: false,
      isDeleted: true,
      extraProperties: '{}',
      lastSignInTime: null,
    },
  }),
]
