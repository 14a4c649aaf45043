import { EventDto, guid, z } from '@keel/framework/contracts'
import { occurrence } from './occurrence.js'

const document = {
  ...occurrence,
  shipmentId: guid().nullish(),
  orderId: guid().nullish(),
  organizationId: guid().nullish(),
  documentTypeId: guid(),
  version: z.int(),
}

/** A document is in force: it was uploaded and passed the scanner if there is one, or came back from the archive. Its reference is the name of its file. */
export class DocumentPublishedEto extends EventDto('Hub.Document.Published', document) {}

/** The scanner found something in the file of a document: nobody downloads it. */
export class DocumentQuarantinedEto extends EventDto('Hub.Document.Quarantined', {
  ...document,

  /** In the words of the scanner. */
  reason: z.string(),
}) {}

/** A document was archived: customers no longer see it. */
export class DocumentArchivedEto extends EventDto('Hub.Document.Archived', document) {}

/** A document in force expires soon: told once for each threshold of `Hub.Documents.ExpiryReminderDays`. */
export class DocumentExpiringEto extends EventDto('Hub.Document.Expiring', {
  ...document,

  /** Calendar date after which the document is no longer valid. */
  expiryDate: z.string(),

  /** Days until then; 0 on the last day. */
  daysLeft: z.int(),
}) {}

/** The events of documents, for `events` of the module. */
export const documentEvents = [
  DocumentPublishedEto,
  DocumentQuarantinedEto,
  DocumentArchivedEto,
  DocumentExpiringEto,
] as const
