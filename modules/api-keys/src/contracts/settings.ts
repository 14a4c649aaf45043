import { defineSetting } from '@keel/framework/contracts'

/** How far the management of others' keys goes, and how many keys there may be. */
export const ApiKeySettings = {
  ManageAllCoversEveryOwner: defineSetting('ApiKeys.ManageAllCoversEveryOwner', {
    default: false,
    displayName: 'ApiKeys.ManageAll also counts for keys of users who hold more than the caller',
  }),
  MaxKeysPerUser: defineSetting('ApiKeys.MaxKeysPerUser', {
    default: 100,
    range: [1, 100_000],
    displayName: 'API keys that a user may have',
  }),
} as const
