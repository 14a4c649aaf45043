import { defineSetting } from '@keel/framework/contracts'

/** How far the management of others' keys goes. */
export const ApiKeySettings = {
  ManageAllCoversEveryOwner: defineSetting('ApiKeys.ManageAllCoversEveryOwner', {
    default: false,
    displayName: 'ApiKeys.ManageAll also counts for keys of users who hold more than the caller',
  }),
} as const
