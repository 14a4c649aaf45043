import { EntityEto, z } from '@keel/framework/contracts'

/** The data of user events: ABP's `Volo.Abp.Users.User.Created`, `.Updated` and `.Deleted`. */
export class UserEto extends EntityEto('Volo.Abp.Users.User', {
  id: z.guid(),
  tenantId: z.guid().nullish(),
  userName: z.string(),
  name: z.string().nullish(),
  surname: z.string().nullish(),
  isActive: z.boolean(),
  email: z.string(),
  emailConfirmed: z.boolean(),
  phoneNumber: z.string().nullish(),
  phoneNumberConfirmed: z.boolean(),
  /** Grows when an administrator changes the user. Whoever keeps a copy drops what is older than it. */
  entityVersion: z.int(),
}) {}
