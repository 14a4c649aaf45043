import { DocumentStatus, type NewDocumentDto, OrganizationPermissions } from '@keel/hub-proxy'
import { nameOperations } from '@keel/react'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { sizeOf, useDocumentRows } from '../parts/documents-of.js'
import { saveFile } from '../parts/download.js'
import { enumOptions } from '../parts/fields.js'
import { useFormats } from '../parts/formats.js'
import { type Document, documents, shipments } from '../parts/hub.js'
import { useCodeName } from '../parts/hub-selects.js'
import { ListPage } from '../parts/list-page.js'
import { useAct } from '../parts/notices.js'
import { OrganizationName, OrganizationSelect } from '../parts/organizations.js'
import { ShipmentLink } from '../parts/shipment-link.js'

/** The documents that the caller sees: all of them, or those of the caller's shipments that came lately. */
export function Page() {
  const { may } = useApplication()
  return may(OrganizationPermissions.AccessAll) ? <Documents /> : <NewDocuments />
}

type NewDocument = InstanceType<typeof NewDocumentDto> & { readonly id: string }

/** Callers who do not see all organizations would have to name a shipment to list all of its documents. */
const newDocuments = nameOperations('Hub', 'newDocuments', {
  async getList(input: Parameters<typeof shipments.getNewDocuments>[0]) {
    const { totalCount, items } = await shipments.getNewDocuments(input)
    return { totalCount, items: items.map((item): NewDocument => ({ ...item, id: item.documentId })) }
  },
})

function NewDocuments() {
  const typeName = useCodeName('DocumentType')
  const { t, formatInstant, formatNumber } = useApplication()
  const act = useAct()
  const own = (name: string) => `Hub::DisplayName:Document:${name}`
  return (
    <ListPage
      title="Hub::DisplayName:Documents"
      hint="Ops:NewDocumentsHint"
      icon="file"
      emptyHint="Ops:NoDocumentsAtAllHint"
      views="NewDocuments"
      list={newDocuments.getList}
      columns={[
        { id: 'file', title: own('FileName'), isEssential: true, cell: ({ fileName }) => fileName },
        {
          id: 'shipment',
          title: 'Hub::Entity:Shipment',
          isEssential: true,
          cell: ({ shipmentId, shipmentReference }) => (
            <Anchor component={Link} to={`/shipments/${shipmentId}?tab=documents` as never} size="sm">
              {shipmentReference}
            </Anchor>
          ),
        },
        { id: 'type', title: own('DocumentType'), cell: ({ documentType }) => typeName(documentType) },
        { id: 'title', title: own('Title'), cell: ({ title }) => title },
        {
          id: 'size',
          title: own('FileSize'),
          isFigure: true,
          cell: ({ fileSize }) => sizeOf(fileSize, formatNumber),
        },
        { id: 'date', title: own('FileDate'), cell: ({ fileDate }) => formatInstant(fileDate) },
      ]}
      actions={[
        {
          title: 'Ops:Download',
          icon: 'download',
          run: ({ id }) => act(documents.getContent(id).then(saveFile), t('Exported')),
        },
      ]}
    />
  )
}

function Documents() {
  const { t } = useApplication()
  const formats = useFormats()
  const rows = useDocumentRows()
  const states = enumOptions(t, 'Hub::Enum:DocumentStatus', DocumentStatus)
  const [file, ...others] = rows.columns
  const columns: readonly Column<Document>[] = [
    ...(file ? [file] : []),
    {
      id: 'of',
      title: 'Ops:BelongsTo',
      cell: ({ shipmentId, orderId, organizationId }) =>
        shipmentId ? (
          <ShipmentLink id={shipmentId} />
        ) : orderId ? (
          <Anchor component={Link} to={`/orders/${orderId}` as never} size="sm">
            {t('Hub::Entity:Order')}
          </Anchor>
        ) : (
          organizationId && <OrganizationName id={organizationId} />
        ),
    },
    ...others,
    {
      id: 'expiry',
      title: 'Hub::DisplayName:Document:ExpiryDate',
      sort: 'expiryDate',
      isExtra: true,
      cell: ({ expiryDate }) => formats.date(expiryDate),
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
        { name: 'status', title: 'State', kind: 'choice', options: states },
        {
          name: 'organizationId',
          title: 'Hub::Entity:Organization',
          kind: 'pick',
          pick: OrganizationSelect,
          isExtra: true,
        },
      ]}
      actions={rows.actions}
      selection={rows.selection}
      commands={rows.zip}
      work={rows.work}
      removal={rows.removal}
    >
      {rows.dialogs}
    </ListPage>
  )
}
