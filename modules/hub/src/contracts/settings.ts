import { AppService, Dto, defineFeature, defineSetting, op, z } from '@keel/framework/contracts'
import { Hub } from './hub.js'

/** The settings of Hub. */
export const HubSettings = {
  /** A file that its parent has already, with the same type, is refused. */
  RejectDuplicateDocuments: defineSetting('Hub.RejectDuplicateDocuments', {
    default: false,
    displayName: 'Refuse documents whose file is there already',
  }),
  /** Days after which deleted rows, and the files of deleted documents, go for good; 0 keeps them. */
  DeletedRowsRetentionDays: defineSetting('Hub.DeletedRows.RetentionDays', {
    default: 0,
    range: [0, 36_500],
    displayName: 'Days that deleted rows are kept; 0 for ever',
  }),
  /** True when a shipment can only be delivered with a document that proves it. */
  RequirePod: defineSetting('Hub.RequirePod', {
    default: false,
    displayName: 'Deliver shipments only with a proof of delivery',
  }),
} as const

/** The features of Hub. */
export const HubFeatures = {
  /** Lists as files. */
  Exports: defineFeature('App.Exports', { default: true, displayName: 'Exports' }),
} as const

/** How Hub treats documents and deleted rows. */
export class HubSettingsDto extends Dto({
  /** True when a document is refused whose file its parent has already, in a document of the same type. */
  rejectDuplicateDocuments: z.boolean(),

  /** Days after which deleted rows, and the files of deleted documents, go for good; 0 keeps them. */
  deletedRowsRetentionDays: z.int().min(0).max(36_500),

  /** True when a shipment can only be delivered with a document that proves it. Absent in a change: it stays. */
  requirePod: z.boolean().optional(),
}) {}

/** The settings of Hub, for everybody. */
export abstract class HubSettingsAppService extends AppService(Hub, 'HubSettingsAppService', {
  /** Gets the settings of Hub. */
  get: op().returns(HubSettingsDto).at('GET', '/api/hub/settings'),
  /** Sets the settings of Hub. */
  update: op(HubSettingsDto).at('PUT', '/api/hub/settings'),
}) {}
