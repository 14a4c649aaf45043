import { Injectable } from '@keel/framework'
import { type FilteredPagedInput, pageOf } from '@keel/framework/contracts'
import { JsonView, PageReader, sql, visibleRows } from '@keel/framework/data'
import { DocumentStatus, NewDocumentDto } from '../contracts/index.js'
import { Document } from '../domain/document.js'
import { Shipment } from '../domain/shipment.js'

const Page = pageOf(NewDocumentDto)
const view = new JsonView(Document, NewDocumentDto, {
  members: (t) => ({
    documentId: sql`${t}."Id"`,
    shipmentId: sql`s."Id"`,
    shipmentReference: sql`s."ShipmentReference"`,
  }),
  joins: sql`join "HubShipments" s on s."Id" = t."ShipmentId" and ${visibleRows(Shipment, 's')}`,
  sortBy: ['creationTime', 'fileDate', 'fileName', 'title', 'fileSize', 'shipmentReference'],
  searchIn: ['fileName', 'title'],
})

/** Documents with the shipments that they came with. */
@Injectable()
export class NewDocuments {
  constructor(private readonly pages: PageReader) {}

  /** The published documents of visible shipments that were created since a moment, newest first unless sorted otherwise. */
  page(since: Date, input: FilteredPagedInput): Promise<InstanceType<typeof Page>> {
    const conditions = [sql`t."CreationTime" >= ${since}`, sql`t."Status" = ${DocumentStatus.Published}`]
    return this.pages.page(Page, view, { ...input, defaultSorting: 'creationTime DESC', conditions })
  }
}
