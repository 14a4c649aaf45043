import { Injectable, jsonResult } from '@keel/framework'
import { pageOf } from '@keel/framework/contracts'
import {
  and,
  type Database,
  Databases,
  entityMeta,
  instantSql,
  JsonView,
  prepared,
  RowRules,
  raw,
  Sorting,
  sql,
} from '@keel/framework/data'
import { CodeEntityDto, DocumentStatus, NewDocumentDto } from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Document } from '../domain/document.js'
import { Shipment } from '../domain/shipment.js'

const Page = pageOf(NewDocumentDto)
const sorting = new Sorting(
  {
    creationTime: 'd."CreationTime"',
    fileDate: 'd."FileDate"',
    fileName: 'd."FileName"',
    title: 'd."Title"',
    fileSize: 'd."FileSize"',
    shipmentReference: 's."ShipmentReference"',
  },
  'd."Id"',
)

/** Pages of documents with their shipments, in one statement with the count. */
@Injectable()
export class NewDocuments {
  private readonly database: Database
  private readonly documentType = new JsonView(CodeEntity, CodeEntityDto).selectList('c')

  constructor(
    databases: Databases,
    private readonly rules: RowRules,
  ) {
    this.database = databases.of(Document)
  }

  /** The published documents of visible shipments created since a moment, newest first by default. */
  async page(
    since: Date,
    input: { skipCount: number; maxResultCount: number; sorting?: string | null | undefined },
  ): Promise<InstanceType<typeof Page>> {
    const visible = and([
      sql`d."CreationTime" >= ${since}`,
      sql`d."Status" = ${DocumentStatus.Published}`,
      ...(await this.rules.conditionsFor(entityMeta(Document), 'd')),
      ...(await this.rules.conditionsFor(entityMeta(Shipment), 's')),
    ])
    const source = sql`"HubDocuments" d join "HubShipments" s on s."Id" = d."ShipmentId" where ${visible}`
    const instant = (column: string) => raw(instantSql(column, `(${column} at time zone interval '0')`))
    const statement = sql`
      select (select count(*) from ${source}), (select coalesce(json_agg(r), '[]') from (
        select d."Id" as "documentId", s."Id" as "shipmentId", s."ShipmentReference" as "shipmentReference", d."FileName" as "fileName",
          ${instant('d."FileDate"')} as "fileDate", d."Title" as "title", d."FileSize" as "fileSize", ${instant('d."CreationTime"')} as "creationTime",
          (select row_to_json(t) from (select ${raw(this.documentType)} from "HubCodeEntities" c where c."Id" = d."DocumentTypeId") t) as "documentType"
        from ${source}
        order by ${sorting.orderBy(input.sorting?.trim() || 'creationTime DESC')}
        limit ${input.maxResultCount} offset ${input.skipCount}) r)`
    const [row] = await this.database.queryText(prepared(statement))
    return jsonResult(Page, `{"totalCount":${row?.[0] ?? 0},"items":${row?.[1] ?? '[]'}}`)
  }
}
