import { type Sql, sql } from '@keel/framework/data'
import type { DocumentListInput } from '../contracts/index.js'

/** The conditions of a list of documents: its parents, its type and its status. */
export function documentConditions(input: DocumentListInput): Sql[] {
  const { shipmentId, orderId, organizationId, documentTypeId, status } = input
  return [
    ...(shipmentId ? [sql`t."ShipmentId" = ${shipmentId}::uuid`] : []),
    ...(orderId ? [sql`t."OrderId" = ${orderId}::uuid`] : []),
    ...(organizationId ? [sql`t."OrganizationId" = ${organizationId}::uuid`] : []),
    ...(documentTypeId ? [sql`t."DocumentTypeId" = ${documentTypeId}::uuid`] : []),
    ...(typeof status === 'number' ? [sql`t."Status" = ${status}`] : []),
  ]
}
