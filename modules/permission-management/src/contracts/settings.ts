import { defineSetting } from '@keel/framework/contracts'

/** How long the history of permissions is kept. */
export const PermissionHistorySettings = {
  RetentionDays: defineSetting('PermissionManagement.History.RetentionDays', {
    default: 0,
    range: [0, 36_500],
    displayName: 'Days that the history of permissions is kept; 0 for ever',
  }),
} as const
