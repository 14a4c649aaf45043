import { remoteService } from '@keel/framework/contracts'

/** The remote service of identity, by ABP's name: routes under `/api/identity`. */
export const Identity = remoteService('AbpIdentity', 'identity', 'Volo.Abp.Identity')
