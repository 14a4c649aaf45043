import { CreditStatus, type OrganizationDto, OrganizationPermissions } from '@keel/hub-proxy'
import { Badge, Button } from '@mantine/core'
import { useState } from 'react'
import { useApplication } from '../application.js'
import type { Column, RowAction } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { enumOptions, type Field } from '../parts/fields.js'
import { Icon } from '../parts/icons.js'
import { ImportFiles } from '../parts/import-files.js'
import { ListFiles } from '../parts/list-files.js'
import { codeAndName, ListPage } from '../parts/list-page.js'
import { OrganizationMembers } from '../parts/members-drawer.js'
import {
  DeletedOrganizations,
  MergeOrganization,
  MoveOrganization,
  OrganizationTree,
} from '../parts/organization-hierarchy.js'
import { OrganizationPlaces } from '../parts/organization-places.js'
import { OrganizationSelect, organizations } from '../parts/organizations.js'
import { useUrlState } from '../parts/url-state.js'

type Organization = InstanceType<typeof OrganizationDto>
type Values = ReturnType<typeof valuesOf>
const own = (name: string) => `Hub::DisplayName:Organization:${name}`
const uses = [
  'isConsignor',
  'isConsignee',
  'isControllingCustomer',
  'isForwarder',
  'isCarrier',
  'isBroker',
] as const
const titleOf = (member: string) => own(member.charAt(0).toUpperCase() + member.slice(1))

function valuesOf(organization?: Organization) {
  return {
    code: organization?.code ?? '',
    fullName: organization?.fullName ?? '',
    shortName: organization?.shortName ?? '',
    countryCode: organization?.countryCode ?? '',
    taxNumber: organization?.taxNumber ?? '',
    eoriNumber: organization?.eoriNumber ?? '',
    dunsNumber: organization?.dunsNumber ?? '',
    defaultCurrencyCode: organization?.defaultCurrencyCode ?? '',
    language: organization?.language ?? '',
    webSite: organization?.webSite ?? '',
    externalId: organization?.externalId ?? '',
    creditStatus: organization?.creditStatus ?? CreditStatus.Open,
    ...(Object.fromEntries(uses.map((use) => [use, organization?.[use] ?? false])) as Record<
      (typeof uses)[number],
      boolean
    >),
    isActive: organization?.isActive ?? true,
    parentOrganizationId: organization?.parentOrganizationId ?? null,
    concurrencyStamp: organization?.concurrencyStamp ?? '',
  }
}

/** Organizations that the caller sees, their members, addresses and contacts. */
export function Page() {
  const { t, may } = useApplication()
  const [url, setUrl] = useUrlState()
  const editing = useEditing()
  const mayMembers = may(OrganizationPermissions.ManageMembers)
  const columns: Column<Organization>[] = [
    ...codeAndName<Organization>({ name: own('FullName'), nameField: 'fullName' }),
    {
      id: 'path',
      title: own('HierarchyPath'),
      sort: 'hierarchyPath',
      isExtra: true,
      cell: ({ hierarchyPath }) => hierarchyPath,
    },
    {
      id: 'country',
      title: 'Hub::DisplayName:Country',
      sort: 'countryCode',
      cell: ({ countryCode }) => countryCode,
    },
    {
      id: 'uses',
      title: 'Kind',
      cell: (organization) =>
        uses
          .filter((use) => organization[use])
          .map((use) => t(titleOf(use)))
          .join(', '),
    },
    {
      id: 'state',
      title: 'State',
      cell: ({ isActive }) => (
        <Badge variant="light" color={isActive ? 'teal' : 'gray'}>
          {t(isActive ? 'Active' : 'Inactive')}
        </Badge>
      ),
    },
  ]
  // Only staff change the hierarchy.
  const isStaff = may(OrganizationPermissions.AccessAll)
  const mayMerge = isStaff && mayMembers && may(OrganizationPermissions.Delete)
  const [moved, move] = useState<Organization>()
  const [merged, merge] = useState<Organization>()
  const actions: RowAction<Organization>[] = [
    { title: 'OrganizationTree', icon: 'tree', run: ({ id }) => setUrl({ tree: id }, true) },
    {
      title: 'Move',
      icon: 'right',
      isShown: () => isStaff && may(OrganizationPermissions.Edit),
      run: move,
    },
    { title: 'Merge', icon: 'copy', isShown: () => mayMerge, run: merge },
    {
      title: own('Members'),
      icon: 'users',
      isShown: () => mayMembers,
      run: ({ id }) => setUrl({ members: id }, true),
    },
    { title: 'AddressesAndContacts', icon: 'pin', run: ({ id }) => setUrl({ places: id }, true) },
  ]
  return (
    <ListPage
      title="Organizations"
      hint="OrganizationsHint"
      icon="building"
      emptyHint="NoOrganizationsHint"
      views="Organizations"
      list={organizations.getList}
      commands={
        <>
          <ListFiles excel={organizations.getListAsExcelFile} csv={organizations.getListAsCsvFile} />
          {may(OrganizationPermissions.Create) && may(OrganizationPermissions.Edit) && (
            <ImportFiles service={organizations} />
          )}
          {may(OrganizationPermissions.Restore) && (
            <Button
              variant="default"
              leftSection={<Icon name="history" />}
              onClick={() => setUrl({ deleted: 'open' }, true)}
            >
              {t('DeletedOrganizations')}
            </Button>
          )}
        </>
      }
      columns={columns}
      actions={actions}
      {...(mayMembers && { onOpen: ({ id }: Organization) => setUrl({ members: id }, true) })}
      work={{
        newTitle: may(OrganizationPermissions.Create) && 'NewOrganization',
        mayEdit: may(OrganizationPermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:Organization' : 'NewOrganization')}
            editing={editing}
            mayChange={may(id ? OrganizationPermissions.Edit : OrganizationPermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(OrganizationPermissions.Delete) && {
          call: organizations.delete,
          warn: ({ code, fullName }) => t('DeleteOrganizationHint', { name: `${code} · ${fullName}` }),
        }
      }
    >
      {url['members'] && (
        <OrganizationMembers id={url['members']} onClose={() => setUrl({ members: undefined })} />
      )}
      {url['places'] && (
        <OrganizationPlaces id={url['places']} onClose={() => setUrl({ places: undefined })} />
      )}
      {url['tree'] && <OrganizationTree id={url['tree']} onClose={() => setUrl({ tree: undefined })} />}
      {url['deleted'] && <DeletedOrganizations onClose={() => setUrl({ deleted: undefined })} />}
      {moved && <MoveOrganization organization={moved} onClose={() => move(undefined)} />}
      {merged && <MergeOrganization organization={merged} onClose={() => merge(undefined)} />}
    </ListPage>
  )
}

function useEditing(): Editing<Organization, Values> {
  const { t } = useApplication()
  const fields: Field<Values>[] = [
    { name: 'code', title: 'AbpUi::DisplayName:Code', isRequired: true },
    { name: 'fullName', title: own('FullName'), isRequired: true },
    { name: 'shortName', title: own('ShortName') },
    { name: 'countryCode', title: 'Hub::DisplayName:Country', hint: 'CountryCodeHint', isRequired: true },
    ...uses.map((use): Field<Values> => ({ name: use, title: titleOf(use), kind: 'check' })),
    { name: 'taxNumber', title: 'Hub::DisplayName:TaxNumber' },
    { name: 'eoriNumber', title: own('EoriNumber') },
    { name: 'dunsNumber', title: own('DunsNumber') },
    { name: 'defaultCurrencyCode', title: own('DefaultCurrencyCode') },
    { name: 'language', title: own('Language') },
    { name: 'webSite', title: own('WebSite') },
    { name: 'externalId', title: own('ExternalId') },
    {
      name: 'creditStatus',
      title: own('CreditStatus'),
      kind: 'enum',
      isRequired: true,
      options: enumOptions(t, 'Hub::Enum:CreditStatus', CreditStatus),
    },
    { name: 'isActive', title: 'Active', kind: 'switch' },
    {
      name: 'parentOrganizationId',
      title: own('ParentOrganization'),
      kind: 'pick',
      pick: OrganizationSelect,
    },
  ]
  return {
    draft: 'organization',
    ownFields: 'Hub.Organization',
    get: organizations.get,
    create: organizations.create as never,
    update: organizations.update as never,
    valuesOf,
    fields,
    fieldOfCode: {
      CodeAlreadyExists: 'code',
      ExternalIdAlreadyExists: 'externalId',
      HierarchyCycle: 'parentOrganizationId',
      TooDeep: 'parentOrganizationId',
    },
  }
}
