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
  ownFields,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { stamp } from './actions.js'
import { CodeEntityDto } from './code-entities.js'
import { DocumentSource, DocumentStatus } from './enumerations.js'
import { Hub } from './hub.js'

/** The media type of what may be uploaded, by the extension of its name. @see domain model, section 2.3 */
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
  /** The shipment that it belongs to; null when it belongs to none. */
  shipmentId: guid().nullish(),

  /** The order that it belongs to; null when it belongs to none. */
  orderId: guid().nullish(),

  /** The organization that it belongs to; null when it belongs to none. */
  organizationId: guid().nullish(),
  documentType: CodeEntityDto.schema.nullable(),
  title: z.string().nullish(),
  fileName: z.string(),

  /**
   * Media type of the file.
   * @example application/pdf
   */
  contentType: z.string(),
  fileSize: inUnit('B', z.int()),

  /** When the file came. */
  fileDate: instant(),

  /** 1 for the first file, one more for each that took its place. */
  version: z.int(),
  status: enumeration('DocumentStatus', DocumentStatus),

  /** True when customers see it; staff see all. */
  isCustomerVisible: z.boolean(),

  /** How the document came. */
  source: enumeration('DocumentSource', DocumentSource),

  /**
   * Calendar date after which the document is no longer valid; null for never.
   * @example 2027-06-30
   */
  expiryDate: z.string().nullish(),

  /** When a scanner looked for malware in the file; null for a file that none has looked at. */
  scanTime: instant().nullish(),

  /** Why the file is in quarantine, in the words of the scanner; null for other files. */
  quarantineReason: z.string().nullish(),
  creationTime: instant(),
  concurrencyStamp: z.string(),

  /** Fields that the installation added, by name. */
  extraProperties: ownFields('Hub.Document'),
}) {}

const parents = {
  /** The shipment that it belongs to. */
  shipmentId: guid().nullish(),

  /** The order that it belongs to. */
  orderId: guid().nullish(),

  /** The organization that it belongs to. */
  organizationId: guid().nullish(),
}

/** A file with what it belongs to: one parent at least. */
export class UploadDocumentInput extends Dto({
  file: file(...mediaTypes),
  ...parents,

  /** A code entity of type `DocumentType`. */
  documentTypeId: guid(),
  title: z.string().trim().max(200).nullish(),
  /** True when not given; only staff may hide a document from customers. */
  isCustomerVisible: z.boolean().optional(),

  /** Fields that the installation added, by name: `extraProperties[Name]` in the form. */
  extraProperties: ownFields('Hub.Document'),
}) {}

/** The file that takes a document's place. */
export class UploadNewVersionInput extends Dto({ file: file(...mediaTypes) }) {}

/**
 * The input for changing a document: absent members stay, null clears. A given stamp must be the last seen.
 */
export class UpdateDocumentDto extends Dto({
  /** A code entity of type `DocumentType`. */
  documentTypeId: guid().optional(),
  title: z.string().trim().max(200).nullish(),
  isCustomerVisible: z.boolean().optional(),

  /**
   * Calendar date after which the document is no longer valid; null for never.
   * @example 2027-06-30
   */
  expiryDate: calendarDate().nullish(),

  /** Fields that the installation added, by name: absent ones stay, and null clears. */
  extraProperties: ownFields('Hub.Document'),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/**
 * Input of the list of documents. Callers other than staff name a parent. `filter`: file names and titles.
 */
export class DocumentListInput extends Dto({
  ...FilteredPagedInput.shape,
  ...parents,

  /** A code entity of type `DocumentType`. */
  documentTypeId: guid().nullish(),
  status: enumeration('DocumentStatus', DocumentStatus).nullish(),
}) {}

/** The input of an action of a document. */
export class DocumentActionDto extends Dto(stamp) {}

/** The most documents of one zip file. */
export const mostZippedDocuments = 50

/** The most bytes that the files of one zip file have together. */
export const mostZippedBytes = 500 * 1024 * 1024

/** The documents of a zip file, by their ids. */
export class DocumentZipInput extends Dto({ ids: z.array(guid()).min(1).max(mostZippedDocuments) }) {}

/** A document of the last 28 days, with its shipment. @see interface document, "Paging shapes" */
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
  /** Gets what is known of a document, without its file. */
  get: op(id).returns(DocumentDto),
  /** Lists the documents that the caller may see, in pages. */
  getList: op(DocumentListInput).returns(pageOf(DocumentDto)),
  /** Changes type, title, visibility or expiry date of a document. */
  update: op(id, UpdateDocumentDto).returns(DocumentDto),
  /** Deletes a document with its file. */
  delete: op(id),
  /**
   * Uploads a file as a new document. Name a shipment, an order or an organization that it belongs to. Where files are scanned for malware it is `Pending`,
   * for staff and the caller alone, until the scanner finds nothing.
   */
  upload: op(UploadDocumentInput).returns(DocumentDto),
  /** Uploads a file that takes the place of a document, once it is published. The document of before stays as `Superseded`. */
  uploadNewVersion: op(id, UploadNewVersionInput).returns(DocumentDto),
  /** Downloads the file of a document. */
  getContent: op(id).returns(file(...mediaTypes)),
  /** Gets the first page of a PDF, or an image, as a small image. 404 for other files, and those that can't be shown. */
  getPreview: op(id).returns(file('image/png')),
  /**
   * Downloads the files of up to 50 documents, 500 MiB together, as one zip file: `/zip?ids=…&ids=…`. Refused as a whole when one of them can not be
   * downloaded. Files with the same name get a number.
   */
  getZip: op(DocumentZipInput).returns(file('application/zip')),
  /** Puts a document away: only staff see it then. For staff. */
  archive: op(id, DocumentActionDto).returns(DocumentDto),
  /** Brings an archived document back: `Superseded` when another version took its place, else `Published`. */
  restore: op(id, DocumentActionDto).returns(DocumentDto),
}) {}
