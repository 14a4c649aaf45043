import { Column, DataType, Entity, FullyAuditedEntity, OptionalColumn } from '@keel/framework/data'
import { HubErrors, OrganizationAddressType } from '../contracts/index.js'
import { Organization } from './organization.js'
import { withItsOrganization } from './organization-context.js'
import { Port } from './port.js'

/** A place of an organization. */
@Entity('HubOrganizationAddresses', {
  referred: 'joined',
  rules: [withItsOrganization],
  conflicts: {
    IX_HubOrganizationAddresses_OrganizationId_Code: HubErrors.OrganizationAddressAlreadyExists,
    IX_HubOrganizationAddresses_OrganizationId_Default: HubErrors.DefaultAddressExists,
  },
  indexes: [
    { attributes: ['organizationId', 'code'], unique: true, where: '"IsDeleted" = false' },
    {
      attributes: ['organizationId', 'addressType'],
      name: 'OrganizationId_Default',
      unique: true,
      where: '"IsDeleted" = false and "IsDefault"',
    },
    { attributes: ['portId'] },
  ],
  checks: {
    AddressType: '"AddressType" between 0 and 4',
    Latitude: '"Latitude" between -90 and 90',
    Longitude: '"Longitude" between -180 and 180',
  },
})
export class OrganizationAddress extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Organization }) declare organizationId: string
  @Column(DataType.SMALLINT, { enumeration: { OrganizationAddressType } })
  declare addressType: OrganizationAddressType
  @Column(DataType.STRING(20)) declare code: string
  @Column(DataType.STRING(200)) declare line1: string
  @OptionalColumn(DataType.STRING(200)) declare line2: string | null
  @Column(DataType.STRING(100)) declare city: string
  @OptionalColumn(DataType.STRING(100)) declare stateProvince: string | null
  @OptionalColumn(DataType.STRING(20)) declare postalCode: string | null
  @Column(DataType.CHAR(2)) declare countryCode: string
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare portId: string | null
  @OptionalColumn(DataType.DOUBLE) declare latitude: number | null
  @OptionalColumn(DataType.DOUBLE) declare longitude: number | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDefault: boolean
}
