import { AppService, Dto, guid, op, z } from '@keel/framework/contracts'
import { BackgroundWork } from './background-work.js'

/** A list to mail as a file. */
export class CreateListMailDto extends Dto({
  /**
   * The remote service and the feature of a list that has files.
   * @example "Hub.Port"
   */
  list: z.string().min(1).max(128),
  format: z.enum(['xlsx', 'csv']).default('xlsx'),

  /** The filters and the order of the list: the members of the input of its files. */
  parameters: z.record(z.string(), z.unknown()).default({}),
}) {}

/** A list that will be mailed. */
export class ListMailDto extends Dto({
  /** The background job that writes the file. */
  jobId: guid(),

  /** The confirmed address of the caller, to which the file is sent. */
  email: z.string(),
}) {}

/** Lists as files by mail. */
export abstract class ListMailAppService extends AppService(BackgroundWork, 'ListMailAppService', {
  /**
   * Has a list mailed to the caller as a file, with all of its rows, by a background job in the caller's name. Needs the permission for the
   * files of the list, now and when the job runs, and a confirmed e-mail address.
   */
  create: op(CreateListMailDto).returns(ListMailDto),
}) {}
