import {
  AppService,
  calendarDate,
  Dto,
  EntityDto,
  enumeration,
  FilteredPagedInput,
  file,
  guid,
  id,
  instant,
  inUnit,
  op,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { CodeEntityDto } from './code-entities.js'
import { DocumentSource, DocumentStatus } from './enumerations.js'
import { Hub } from './hub.js'

/** The media type of what may be uploaded, by the extension of its name (domain model, section 2.3). */
export const documentFormats: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  csv: 'text/csv',
  xml: 'application/xml',
  json: 'application/json',
  eml: 'message/rfc822',
  zip: 'application/zip',
}
const mediaTypes = [...new Set(Object.values(documentFormats))]

/** A file that belongs to a shipment, an order or an organization. */
export class DocumentDto extends EntityDto({
  shipmentId: guid().nullish(),
  orderId: guid().nullish(),
  organizationId: guid().nullish(),
  documentType: CodeEntityDto.schema.nullable(),
  title: z.string().nullish(),
  fileName: z.string(),
  contentType: z.string(),
  fileSize: inUnit('B', z.int()),
  fileDate: instant(),
  version: z.int(),
  status: enumeration('DocumentStatus', DocumentStatus),
  isCustomerVisible: z.boolean(),
  source: enumeration('DocumentSource', DocumentSource),
  expiryDate: z.string().nullish(),
  creationTime: instant(),
  concurrencyStamp: z.string(),
}) {}

const parents = {
  shipmentId: guid().nullish(),
  orderId: guid().nullish(),
  organizationId: guid().nullish(),
}

/** A file with what it belongs to: one parent at least. */
export class UploadDocumentInput extends Dto({
  file: file(...mediaTypes),
  ...parents,
  documentTypeId: guid(),
  title: z.string().trim().max(200).nullish(),
  /** True when not given; only staff may hide a document from customers. */
  isCustomerVisible: z.boolean().optional(),
}) {}

/** The file that takes a document's place. */
export class UploadNewVersionInput extends Dto({ file: file(...mediaTypes) }) {}

/** What is said of a document: what is absent stays, null clears. A stamp, when given, must be the one last seen. */
export class UpdateDocumentDto extends Dto({
  documentTypeId: guid().optional(),
  title: z.string().trim().max(200).nullish(),
  isCustomerVisible: z.boolean().optional(),
  expiryDate: calendarDate().nullish(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The list of documents. Who does not see all names what they belong to. `filter` looks into file names and titles. */
export class DocumentListInput extends Dto({
  ...FilteredPagedInput.shape,
  ...parents,
  documentTypeId: guid().nullish(),
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
  fileSize: inUnit('B', z.int()),
  creationTime: instant(),
}) {}

/** Documents of a caller's shipments, orders and organizations, and the files behind them. */
export abstract class DocumentAppService extends AppService(Hub, 'DocumentAppService', {
  get: op(id).returns(DocumentDto),
  getList: op(DocumentListInput).returns(pageOf(DocumentDto)),
  update: op(id, UpdateDocumentDto).returns(DocumentDto),
  delete: op(id),
  upload: op(UploadDocumentInput).returns(DocumentDto),
  uploadNewVersion: op(id, UploadNewVersionInput).returns(DocumentDto),
  getContent: op(id).returns(file(...mediaTypes)),
}) {}
