import { remoteService } from '@keel/framework/contracts'

/** The core application's remote service, ABP's `Default`: routes under `/api/app`. */
export const Core = remoteService('Default', 'app', undefined, undefined, 'Core')
