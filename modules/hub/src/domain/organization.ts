import {
  AggregateRoot,
  Column,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
  Timestamp,
  textSearchIndex,
} from '@keel/framework/data'
import { AccessScope, CreditStatus, HubErrors } from '../contracts/index.js'
import { organizationsOfCaller, withItsOrganization } from './organization-context.js'
import { Port } from './port.js'

/** The deepest that organizations may be nested. */
export const deepestHierarchy = 8

/** A company: customer, supplier, agent or carrier's office. */
@Entity('HubOrganizations', {
  watched: true,
  referred: 'joined',
  rules: [organizationsOfCaller],
  conflicts: {
    IX_HubOrganizations_Code: HubErrors.OrganizationCodeAlreadyExists,
    IX_HubOrganizations_ExternalId: HubErrors.OrganizationExternalIdAlreadyExists,
  },
  indexes: [
    { attributes: ['code'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['externalId'], unique: true, where: '"IsDeleted" = false and "ExternalId" is not null' },
    { attributes: [{ attribute: 'hierarchyPath', order: 'text_pattern_ops' }] },
    { attributes: ['parentOrganizationId'] },
    { attributes: ['closestPortId'] },
    { attributes: ['mergedIntoId'] },
    textSearchIndex('fullName'),
    textSearchIndex('code', 'shortName'),
  ],
  checks: {
    Code: `"Code" ~ '^[A-Z0-9]+$'`,
    ParentOrganizationId: '"ParentOrganizationId" <> "Id"',
    CreditStatus: '"CreditStatus" between 0 and 2',
  },
})
export class Organization extends AggregateRoot {
  @Column(DataType.STRING(20)) declare code: string
  @Column(DataType.STRING(200)) declare fullName: string
  @OptionalColumn(DataType.STRING(50)) declare shortName: string | null
  @OptionalColumn(DataType.UUID, { references: () => Organization }) declare parentOrganizationId:
    | string
    | null
  @Column(DataType.STRING(400)) declare hierarchyPath: string
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isConsignor: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isConsignee: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isControllingCustomer: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isForwarder: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isCarrier: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isBroker: boolean
  @Column(DataType.CHAR(2)) declare countryCode: string
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare closestPortId: string | null
  @OptionalColumn(DataType.STRING(30)) declare taxNumber: string | null
  @OptionalColumn(DataType.STRING(17)) declare eoriNumber: string | null
  @OptionalColumn(DataType.STRING(9)) declare dunsNumber: string | null
  @OptionalColumn(DataType.CHAR(3)) declare defaultCurrencyCode: string | null
  @OptionalColumn(DataType.STRING(10)) declare language: string | null
  @OptionalColumn(DataType.STRING(200)) declare webSite: string | null
  @Column(DataType.SMALLINT, { defaultValue: CreditStatus.Open, enumeration: { CreditStatus } })
  declare creditStatus: CreditStatus
  @OptionalColumn(DataType.UUID) declare salesOwnerUserId: string | null
  @OptionalColumn(DataType.STRING(100)) declare externalId: string | null
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isActive: boolean
  /** Of a deleted organization: the one that has what was its own. */
  @OptionalColumn(DataType.UUID, { references: () => Organization }) declare mergedIntoId: string | null
}

/** Links a user to an organization: the root of what they see. */
@Entity('HubOrganizationMembers', {
  watched: true,
  rules: [withItsOrganization],
  conflicts: { IX_HubOrganizationMembers_UserId_OrganizationId: HubErrors.AlreadyMember },
  indexes: [
    { attributes: ['userId', 'organizationId'], unique: true, where: '"IsDeleted" = false' },
    {
      attributes: ['userId'],
      name: 'UserId_Default',
      unique: true,
      where: '"IsDeleted" = false and "IsDefault"',
    },
    { attributes: ['organizationId'] },
  ],
  checks: {
    AccessScope: '"AccessScope" between 0 and 1',
  },
})
export class OrganizationMember extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Organization }) declare organizationId: string
  @Column(DataType.UUID) declare userId: string
  @Column(DataType.STRING(256)) declare userName: string
  @Column(DataType.SMALLINT, { defaultValue: AccessScope.IncludeChildren }) declare accessScope: AccessScope
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDefault: boolean
  @OptionalColumn(Timestamp) declare validUntil: Date | null
  @Column(DataType.STRING(40), { databaseDefault: "'new'" }) declare concurrencyStamp: string
}

/** The path of an organization below another, or at the top. */
export function hierarchyPath(code: string, parentPath = '/'): string {
  return `${parentPath}${code}/`
}

/** How many levels a path has. */
export function depthOf(path: string): number {
  return path.split('/').length - 2
}
