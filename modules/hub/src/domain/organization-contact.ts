import { Column, DataType, Entity, FullyAuditedEntity, OptionalColumn } from '@keel/framework/data'
import { ContactDepartment } from '../contracts/index.js'
import { Organization } from './organization.js'
import { OrganizationAddress } from './organization-address.js'
import { withItsOrganization } from './organization-context.js'

/** A person of an organization to call or to notify. */
@Entity('HubOrganizationContacts', {
  rules: [withItsOrganization],
  indexes: [
    { attributes: ['organizationId', 'isPrimary'] },
    { attributes: ['organizationAddressId'] },
    { attributes: [{ sql: 'lower("Email")' }], name: 'LowerEmail' },
  ],
  checks: { Department: '"Department" between 0 and 6' },
})
export class OrganizationContact extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Organization }) declare organizationId: string
  // The name of a foreign key would be longer than PostgreSQL's 63 characters. Addresses are deleted by a mark.
  @OptionalColumn(DataType.UUID, { references: () => OrganizationAddress, foreignKey: false })
  declare organizationAddressId: string | null
  @Column(DataType.STRING(100)) declare fullName: string
  @OptionalColumn(DataType.STRING(100)) declare jobTitle: string | null
  @OptionalColumn(DataType.STRING(256)) declare email: string | null
  @OptionalColumn(DataType.STRING(50)) declare phone: string | null
  @OptionalColumn(DataType.STRING(50)) declare mobile: string | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { ContactDepartment } })
  declare department: ContactDepartment | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare receivesNotifications: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isPrimary: boolean
}
