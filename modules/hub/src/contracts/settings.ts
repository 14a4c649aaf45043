import { AppService, Dto, defineFeature, defineSetting, op, z } from '@keel/framework/contracts'
import { Hub } from './hub.js'

/** One to five numbers of days, each 999 at the most. */
const reminderDays = /^\d{1,3}(,\d{1,3}){0,4}$/

/** The settings of Hub. */
export const HubSettings = {
  /** A file that its parent has already, with the same type, is refused. */
  RejectDuplicateDocuments: defineSetting('Hub.RejectDuplicateDocuments', {
    default: false,
    displayName: 'Refuse documents whose file is there already',
  }),
  /** Days after which the files of deleted documents go for good, whose rows stay; 0 keeps them. */
  DeletedFilesRetentionDays: defineSetting('Hub.DeletedDocuments.FileRetentionDays', {
    default: 30,
    range: [0, 36_500],
    displayName: 'Days that the files of deleted documents are kept; 0 for ever',
  }),
  /** The days before the expiry date of a document on which people are reminded of it, with commas. */
  DocumentExpiryReminderDays: defineSetting('Hub.Documents.ExpiryReminderDays', {
    default: '30,7',
    accepts: (days) => reminderDays.test(days),
    displayName: 'Days before the expiry of a document on which people are reminded, such as 30,7',
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
  /** True when full containers depart only with number, seal and verified gross mass; else the caller is warned. */
  RequireVgm: defineSetting('Hub.RequireVgm', {
    default: false,
    displayName: 'Let full containers depart only with number, seal and verified gross mass',
  }),
  /** True when the emissions of long flights count radiative forcing. */
  UseRadiativeForcing: defineSetting('Hub.UseRadiativeForcing', {
    default: false,
    displayName: 'Count radiative forcing in the emissions of long flights',
  }),
} as const

/** The features of Hub. */
export const HubFeatures = {
  /** Greenhouse gases of shipments, and the factors that they are computed by. While it is off none are computed. */
  Emissions: defineFeature('Hub.Emissions', { default: true, displayName: 'Greenhouse gases' }),
} as const

/** How Hub treats documents, deleted rows, departures, deliveries and emissions. */
export class HubSettingsDto extends Dto({
  /** True when a document is refused whose file its parent has already, in a document of the same type. */
  rejectDuplicateDocuments: z.boolean(),

  /** Days after which deleted rows, and the files of deleted documents, go for good; 0 keeps them. */
  deletedRowsRetentionDays: z.int().min(0).max(36_500),

  /** Days after which the files of deleted documents go for good, whose rows stay; 0 keeps them. Absent in a change: it stays. */
  deletedFilesRetentionDays: z.int().min(0).max(36_500).optional(),

  /**
   * The days before the expiry date of a document on which people are reminded of it, up to five with commas. Absent in a change: it stays.
   * @example 30,7
   */
  expiryReminderDays: z.string().regex(reminderDays).optional(),

  /** True when a shipment can only be delivered with a document that proves it. Absent in a change: it stays. */
  requirePod: z.boolean().optional(),

  /** True when full containers depart only with number, seal and verified gross mass. Absent in a change: it stays. */
  requireVgm: z.boolean().optional(),

  /** True when the emissions of long flights count radiative forcing, in later calculations. Absent in a change: it stays. */
  useRadiativeForcing: z.boolean().optional(),
}) {}

/** The settings of Hub, for everybody. */
export abstract class HubSettingsAppService extends AppService(Hub, 'HubSettingsAppService', {
  /** Gets the settings of Hub. */
  get: op().returns(HubSettingsDto).at('GET', '/api/hub/settings'),
  /** Sets the settings of Hub. */
  update: op(HubSettingsDto).at('PUT', '/api/hub/settings'),
}) {}
