import { AddressRole } from '../contracts/enumerations.js'

/** Who only moves the goods does not see the shipment. */
const blindRoles: ReadonlySet<AddressRole> = new Set([
  AddressRole.PickupFrom,
  AddressRole.DeliverTo,
  AddressRole.Carrier,
])

/**
 * The organisations whose members see a shipment with these (live) addresses, each once: `VisibleOrganizationIds`.
 * Every role shows the shipment, except picking up, delivering and carrying.
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
