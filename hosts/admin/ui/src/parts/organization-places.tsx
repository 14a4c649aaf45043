import {
  ContactDepartment,
  type OrganizationAddressDto,
  OrganizationAddressType,
  type OrganizationContactDto,
  OrganizationPermissions,
} from '@keel/hub-proxy'
import { useQuery } from '@keel/react'
import { Stack } from '@mantine/core'
import { useApplication } from '../application.js'
import { Drawer } from './drawer.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { enumOptions } from './fields.js'
import { PortSelect } from './hub-selects.js'
import { organizationAddresses, organizationContacts, organizations } from './organizations.js'
import { SmallList } from './small-list.js'

type Address = InstanceType<typeof OrganizationAddressDto>
type Contact = InstanceType<typeof OrganizationContactDto>
const ofAddress = (name: string) => `Hub::DisplayName:OrganizationAddress:${name}`
const ofContact = (name: string) => `Hub::DisplayName:OrganizationContact:${name}`
const ofParty = (name: string) => `Hub::DisplayName:ShipmentAddress:${name}`
const isDefault = 'AbpUi::DisplayName:IsDefault'
/** More than an organization has; the server gives no more at once. */
const mostAddresses = 1000

/** The addresses and contacts of an organization, beside the list. */
export function OrganizationPlaces({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t, may } = useApplication()
  const organization = useQuery(organizations.get, id)
  const mayEdit = may(OrganizationPermissions.Edit)
  return (
    <Drawer
      onClose={onClose}
      size="xl"
      title={`${t('AddressesAndContacts')}: ${organization.data?.fullName ?? '…'}`}
    >
      <Stack gap="xl">
        <Addresses organizationId={id} mayEdit={mayEdit} />
        <Contacts organizationId={id} mayEdit={mayEdit} />
      </Stack>
    </Drawer>
  )
}

interface OfOrganization {
  readonly organizationId: string
  readonly mayEdit: boolean
}

const addressValues = (address?: Address) => ({
  code: address?.code ?? '',
  addressType: (address?.addressType ?? OrganizationAddressType.Office) as number,
  line1: address?.line1 ?? '',
  line2: address?.line2 ?? '',
  postalCode: address?.postalCode ?? '',
  city: address?.city ?? '',
  stateProvince: address?.stateProvince ?? '',
  countryCode: address?.countryCode ?? '',
  portId: address?.portId ?? null,
  latitude: address?.latitude ?? null,
  longitude: address?.longitude ?? null,
  isDefault: address?.isDefault ?? false,
})

function Addresses({ organizationId, mayEdit }: OfOrganization) {
  const { t } = useApplication()
  const editingOf = (isNew: boolean): Editing<Address, ReturnType<typeof addressValues>> => ({
    draft: `organization-address:${organizationId}`,
    get: organizationAddresses.get,
    create: organizationAddresses.create as never,
    update: organizationAddresses.update as never,
    valuesOf: addressValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, organizationId } : values),
    fieldOfCode: { AddressAlreadyExists: 'code', DefaultAddressExists: 'isDefault' },
    fields: [
      { name: 'code', title: 'AbpUi::DisplayName:Code', hint: 'AddressCodeHint', isRequired: true },
      {
        name: 'addressType',
        title: ofAddress('AddressType'),
        kind: 'enum',
        isRequired: true,
        options: enumOptions(t, 'Hub::Enum:OrganizationAddressType', OrganizationAddressType),
      },
      { name: 'line1', title: ofAddress('Line1'), isRequired: true },
      { name: 'line2', title: ofAddress('Line2') },
      { name: 'postalCode', title: ofParty('PostalCode') },
      { name: 'city', title: 'Hub::DisplayName:City', isRequired: true },
      { name: 'stateProvince', title: ofParty('StateProvince') },
      { name: 'countryCode', title: 'Hub::DisplayName:Country', hint: 'CountryCodeHint', isRequired: true },
      { name: 'portId', title: 'NearestPort', kind: 'pick', pick: PortSelect },
      { name: 'isDefault', title: isDefault, hint: 'DefaultAddressHint', kind: 'check' },
      { name: 'latitude', title: 'Hub::DisplayName:Port:Latitude', hint: 'LatitudeHint', kind: 'number' },
      { name: 'longitude', title: 'Hub::DisplayName:Port:Longitude', hint: 'LongitudeHint', kind: 'number' },
    ],
  })
  return (
    <SmallList
      title="Addresses"
      list={organizationAddresses.getList}
      input={{ organizationId }}
      emptyHint="NoAddressesHint"
      columns={[
        { id: 'code', title: 'AbpUi::DisplayName:Code', isEssential: true, cell: ({ code }) => code },
        {
          id: 'type',
          title: ofAddress('AddressType'),
          cell: ({ addressType, isDefault: isProposed }) =>
            [t(`Hub::Enum:OrganizationAddressType.${addressType}`), isProposed && t(isDefault)]
              .filter(Boolean)
              .join(' · '),
        },
        {
          id: 'address',
          title: ofAddress('Line1'),
          isEssential: true,
          cell: ({ line1, postalCode, city, countryCode }) =>
            [line1, [postalCode, city].filter(Boolean).join(' '), countryCode].join(', '),
        },
      ]}
      work={{
        newTitle: mayEdit && 'NewAddress',
        mayEdit,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:OrganizationAddress' : 'NewAddress')}
            editing={editingOf(id === undefined)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        mayEdit && {
          call: organizationAddresses.delete,
          warn: ({ code }) => t('DeleteAddressHint', { name: code }),
        }
      }
      alsoInvalidates={[organizationContacts.getList]}
    />
  )
}

const contactValues = (contact?: Contact) => ({
  fullName: contact?.fullName ?? '',
  jobTitle: contact?.jobTitle ?? '',
  email: contact?.email ?? '',
  phone: contact?.phone ?? '',
  mobile: contact?.mobile ?? '',
  department: (contact?.department ?? null) as number | null,
  organizationAddressId: contact?.organizationAddressId ?? null,
  isPrimary: contact?.isPrimary ?? false,
  receivesNotifications: contact?.receivesNotifications ?? false,
})

function Contacts({ organizationId, mayEdit }: OfOrganization) {
  const { t } = useApplication()
  const addresses = useQuery(organizationAddresses.getList, { organizationId, maxResultCount: mostAddresses })
  const editingOf = (isNew: boolean): Editing<Contact, ReturnType<typeof contactValues>> => ({
    draft: `organization-contact:${organizationId}`,
    get: organizationContacts.get,
    create: organizationContacts.create as never,
    update: organizationContacts.update as never,
    valuesOf: contactValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, organizationId } : values),
    fields: [
      { name: 'fullName', title: ofContact('FullName'), isRequired: true },
      { name: 'jobTitle', title: ofContact('JobTitle') },
      { name: 'email', title: ofContact('Email'), kind: 'email' },
      {
        name: 'department',
        title: ofContact('Department'),
        kind: 'enum',
        options: enumOptions(t, 'Hub::Enum:ContactDepartment', ContactDepartment),
      },
      { name: 'phone', title: ofParty('Phone') },
      { name: 'mobile', title: ofContact('Mobile') },
      {
        name: 'organizationAddressId',
        title: ofContact('OrganizationAddress'),
        kind: 'choice',
        options:
          addresses.data?.items.map(({ id, code, city }) => ({ value: id, label: `${code} · ${city}` })) ??
          [],
      },
      { name: 'isPrimary', title: ofContact('IsPrimary'), kind: 'check' },
      { name: 'receivesNotifications', title: ofContact('ReceivesNotifications'), kind: 'check' },
    ],
  })
  return (
    <SmallList
      title="Contacts"
      list={organizationContacts.getList}
      input={{ organizationId }}
      emptyHint="NoContactsHint"
      columns={[
        { id: 'name', title: ofContact('FullName'), isEssential: true, cell: ({ fullName }) => fullName },
        {
          id: 'job',
          title: ofContact('Department'),
          cell: ({ department, jobTitle }) =>
            [department != null && t(`Hub::Enum:ContactDepartment.${department}`), jobTitle]
              .filter(Boolean)
              .join(' · '),
        },
        {
          id: 'reach',
          title: ofContact('Email'),
          isEssential: true,
          // A line each: a long address would cut the numbers off.
          cell: ({ email, phone, mobile }) =>
            [email, phone, mobile].filter(Boolean).map((one) => (
              <div key={one} className="keel-line">
                {one}
              </div>
            )),
        },
      ]}
      work={{
        newTitle: mayEdit && 'NewContact',
        mayEdit,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:OrganizationContact' : 'NewContact')}
            editing={editingOf(id === undefined)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        mayEdit && {
          call: organizationContacts.delete,
          warn: ({ fullName }) => t('Ops:DeleteRowHint', { name: fullName }),
        }
      }
    />
  )
}
