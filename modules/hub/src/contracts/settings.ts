import { defineSetting } from '@keel/framework/contracts'

/** The settings of Hub. */
export const HubSettings = {
  /** Days after which deleted rows, and the files of deleted documents, go for good; 0 keeps them. */
  DeletedRowsRetentionDays: defineSetting('Hub.DeletedRows.RetentionDays', {
    default: 0,
    range: [0, 36_500],
    displayName: 'Days that deleted rows are kept; 0 for ever',
  }),
} as const
