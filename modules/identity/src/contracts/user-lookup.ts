import {
  AppService,
  EntityDto,
  FilteredPagedInput,
  id,
  listResultOf,
  op,
  openOwnFields,
  param,
  z,
} from '@keel/framework/contracts'
import { Identity, userOwnFields } from './identity.js'

const path = '/api/identity/users/lookup'

/** A user as other services show them. */
export class UserData extends EntityDto({
  tenantId: z.guid().nullable(),
  userName: z.string(),
  name: z.string().nullable(),
  surname: z.string().nullable(),
  isActive: z.boolean(),
  email: z.string(),
  emailConfirmed: z.boolean(),
  phoneNumber: z.string().nullable(),
  phoneNumberConfirmed: z.boolean(),
  extraProperties: openOwnFields(userOwnFields, z.record(z.string(), z.unknown())),
}) {}

/** Looks users up for other services. */
export abstract class IdentityUserLookupAppService extends AppService(
  Identity,
  'IdentityUserLookupAppService',
  {
    /** Finds users by a part of their names. */
    search: op(FilteredPagedInput).returns(listResultOf(UserData)).at('GET', `${path}/search`),
    /**
     * Counts users by a part of their names.
     * @param filter A part of the user name, name or address; all users when not given.
     */
    getCount: op(param('filter', z.string().max(256).nullish()))
      .returns(z.int())
      .at('GET', `${path}/count`),
    /** Finds a user by user name. Answers 204 when there is none. */
    findByUserName: op(param('userName', z.string().max(256)))
      .returns(UserData.schema.nullable())
      .at('GET', `${path}/by-username/{userName}`),
    /** Finds a user by id. Answers 204 when there is none. */
    findById: op(id).returns(UserData.schema.nullable()).at('GET', `${path}/{id}`),
  },
) {}
