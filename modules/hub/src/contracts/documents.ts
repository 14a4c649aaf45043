import { Dto, EntityDto, enumeration, guid, instant, z } from '@keel/framework/contracts'
import { CodeEntityDto } from './code-entities.js'
import { DocumentSource, DocumentStatus } from './enumerations.js'

/** A file that belongs to a shipment, an order or an organization. */
export class DocumentDto extends EntityDto({
  documentType: CodeEntityDto.schema.nullable(),
  title: z.string().nullish(),
  fileName: z.string(),
  contentType: z.string(),
  /** Bytes. */
  fileSize: z.int(),
  fileDate: instant(),
  version: z.int(),
  status: enumeration('DocumentStatus', DocumentStatus),
  isCustomerVisible: z.boolean(),
  source: enumeration('DocumentSource', DocumentSource),
  expiryDate: z.string().nullish(),
  creationTime: instant(),
}) {}

/** A document that came within the last 28 days, with its shipment (interface document, "Paging shapes"). */
export class NewDocumentDto extends Dto({
  documentId: guid(),
  shipmentId: guid(),
  shipmentReference: z.string(),
  fileName: z.string(),
  fileDate: instant(),
  title: z.string().nullable(),
  documentType: CodeEntityDto.schema.nullable(),
  /** Bytes. */
  fileSize: z.int(),
  creationTime: instant(),
}) {}
