import {
  AccessScope,
  OrganizationAddressAppService,
  OrganizationAppService,
  OrganizationContactAppService,
  OrganizationInvitationAppService,
  OrganizationMemberAppService,
} from '@keel/hub-proxy'
import { useQuery } from '@keel/react'
import { openProxy } from '../clients.js'
import type { PickProps } from './fields.js'
import { LookupSelect } from './lookup-select.js'

/** The clients of organizations, their addresses, contacts, members and invitations. */
export const {
  organizations,
  organizationAddresses,
  organizationContacts,
  organizationMembers,
  organizationInvitations,
} = openProxy({
  organizations: { service: OrganizationAppService },
  organizationAddresses: { service: OrganizationAddressAppService },
  organizationContacts: { service: OrganizationContactAppService },
  organizationMembers: { service: OrganizationMemberAppService },
  organizationInvitations: { service: OrganizationInvitationAppService },
})

/** Organization only, or with everything below it. */
export { AccessScope }

/** The name of an organization that the caller sees. */
export function OrganizationName({ id }: { readonly id: string }) {
  const { data, error } = useQuery(organizations.get, id)
  return error ? null : (data?.fullName ?? '…')
}

/** Picks an organization by code or name, from those that the caller sees. */
export function OrganizationSelect(props: PickProps) {
  return (
    <LookupSelect
      {...props}
      find={organizations.getLookup}
      get={organizations.get}
      labelOf={({ code, fullName }) => `${code} · ${fullName}`}
    />
  )
}
