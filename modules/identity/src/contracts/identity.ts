import { remoteService } from '@keel/framework/contracts'

/** The remote service of identity, by ABP's name: routes under `/api/identity`. */
export const Identity = remoteService('AbpIdentity', 'identity', 'Volo.Abp.Identity')

/** The entity of users, by which their own fields are declared. */
export const userOwnFields = 'Identity.User'
/** The entity of roles, by which their own fields are declared. */
export const roleOwnFields = 'Identity.Role'
