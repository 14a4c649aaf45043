import { AddressRole } from '../contracts/enumerations.js'

/** Roles that only move the goods: they do not see the shipment. */
const blindRoles: ReadonlySet<AddressRole> = new Set([
  AddressRole.PickupFrom,
  AddressRole.DeliverTo,
  AddressRole.Carrier,
])

/**
 * The organisations whose members see a shipment with these (live) addresses, each once:
 * `VisibleOrganizationIds`. Every role shows the shipment, except picking up, delivering and carrying.
 */
export function visibleOrganizationIds(
  addresses: readonly { role: AddressRole; organizationId?: string | null }[],
): string[] {
  const visible = new Set<string>()
  for (const { role, organizationId } of addresses) {
    if (organizationId && !blindRoles.has(role)) visible.add(organizationId)
  }
  return [...visible]
}

/** True when parties show a shipment to other organizations and to none of its creator's. */
export function isHiddenFrom(
  { all, organizationIds }: { all: boolean; organizationIds: readonly string[] },
  addresses: Parameters<typeof visibleOrganizationIds>[0],
): boolean {
  const visible = visibleOrganizationIds(addresses)
  return !all && visible.length > 0 && !visible.some((id) => organizationIds.includes(id))
}
