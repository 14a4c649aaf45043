import {
  AppService,
  crud,
  Dto,
  EntityDto,
  extraProperties,
  FilteredPagedInput,
  guid,
  id,
  instant,
  op,
  z,
} from '@keel/framework/contracts'
import { Core } from './core.js'

/** Error codes of saved views. */
export const SavedViewErrors = {
  /** The user has a view of this name for the list. */
  NameAlreadyExists: 'App:SavedView:NameAlreadyExists',
  /** The user has as many views as {@link mostSavedViews} allows. */
  TooMany: 'App:SavedView:TooMany',
  /** The view was shared by another user, who alone can change it. */
  NotOwner: 'App:SavedView:NotOwner',
} as const

/** The most views that a user can have. */
export const mostSavedViews = 100

const columns = { most: 100, characters: 200 } as const

const fields = {
  name: z.string().trim().min(1).max(100),

  /** The conditions as the list's page keeps them. The server does not read them. */
  filter: extraProperties().nullish(),

  /** The same as an OData `$filter`, for readers that are no page. The server does not check it. */
  query: z.string().max(4000).nullish(),

  /** The shown columns, in their order; null for those that the list shows by itself. */
  columns: z.array(z.string().trim().min(1).max(columns.characters)).max(columns.most).nullish(),

  /** The order, as the list takes it, e.g. `code desc`. */
  sorting: z.string().max(256).nullish(),

  /** True for the view with which the list opens. It takes the mark from the user's default so far. */
  isDefault: z.boolean().optional(),
}

/** The name of a list: that of its entity set where it has one, e.g. `Shipments`. */
const list = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9.-]*$/)

/** The conditions, columns and order of a list under a name. */
export class SavedViewDto extends EntityDto({
  /** The user who saved it. */
  userId: guid(),
  entitySet: list,
  ...fields,
  isDefault: z.boolean(),

  /** The role whose holders see the view; null when it is not shared with a role. */
  sharedRoleName: z.string().nullable(),

  /** The organization whose members see the view; null when it is not shared with an organization. */
  sharedOrganizationId: guid().nullable(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for saving a view. Nobody else sees it until it is shared. */
export class CreateSavedViewDto extends Dto({ entitySet: list, ...fields }) {}

/** The input for changing a view; absent members stay. A given stamp must be the one last seen. */
export class UpdateSavedViewDto extends Dto({
  ...Dto(fields).schema.partial().shape,
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The input of the list of views. */
export class SavedViewListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only views of this list. */
  entitySet: list.nullish(),

  /** True for the caller's own views alone. */
  ownOnly: z.boolean().optional(),
}) {}

/** The input for sharing a view: with a role, or with an organization, or with nobody when both are absent. */
export class ShareSavedViewDto extends Dto({
  /** Needs `Organization.AccessAll`: holders of a role are in many organizations. */
  roleName: z.string().trim().min(1).max(256).nullish(),

  /** An organization that the caller sees. */
  organizationId: guid().nullish(),
}) {}

/** The views of lists that the caller saved, and those that others share with the caller. */
export abstract class SavedViewAppService extends AppService(Core, 'SavedViewAppService', {
  ...crud(SavedViewDto, CreateSavedViewDto, UpdateSavedViewDto, SavedViewListInput),
  /** Makes an own view the one with which its list opens. */
  setDefault: op(id).returns(SavedViewDto),
  /** Shares an own view with a role or an organization, and with nobody else; with neither it is private again. */
  share: op(id, ShareSavedViewDto).returns(SavedViewDto),
}) {}
