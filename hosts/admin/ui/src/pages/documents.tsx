import { OrganizationPermissions } from '@keel/hub-proxy'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { type Document, useDocumentRows } from '../parts/documents-of.js'
import { documents } from '../parts/hub.js'
import { ListPage } from '../parts/list-page.js'
import { ShipmentLink } from '../parts/shipment-link.js'
import { NeedsPermission } from '../parts/states.js'

/** Documents of all shipments and orders. Callers who do not see all organizations find theirs on each shipment. */
export function Page() {
  return (
    <NeedsPermission permission={OrganizationPermissions.AccessAll}>
      <Documents />
    </NeedsPermission>
  )
}

function Documents() {
  const { t } = useApplication()
  const rows = useDocumentRows()
  const [file, ...others] = rows.columns
  const columns: readonly Column<Document>[] = [
    ...(file ? [file] : []),
    {
      id: 'of',
      title: 'Ops:BelongsTo',
      cell: ({ shipmentId, orderId }) =>
        shipmentId ? (
          <ShipmentLink id={shipmentId} />
        ) : (
          orderId && (
            <Anchor component={Link} to={`/orders/${orderId}` as never} size="sm">
              {t('Hub::Entity:Order')}
            </Anchor>
          )
        ),
    },
    ...others,
    {
      id: 'expiry',
      title: 'Hub::DisplayName:Document:ExpiryDate',
      sort: 'expiryDate',
      isExtra: true,
      cell: ({ expiryDate }) => expiryDate,
    },
  ]
  return (
    <ListPage
      title="Hub::DisplayName:Documents"
      hint="Ops:DocumentsHint"
      icon="file"
      emptyHint="Ops:NoDocumentsAtAllHint"
      views="Documents"
      list={documents.getList}
      columns={columns}
      filters={[
        {
          name: 'documentTypeId',
          title: 'Hub::DisplayName:Document:DocumentType',
          kind: 'choice',
          options: rows.types,
        },
      ]}
      actions={rows.actions}
      work={rows.work}
      removal={rows.removal}
    >
      {rows.dialogs}
    </ListPage>
  )
}
