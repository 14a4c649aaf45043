import { AppService, Dto, enumeration, file, op, param, z } from '@keel/framework/contracts'
import { Identity } from './identity.js'
import { GetIdentityUsersInput } from './identity-users.js'

const path = '/api/identity/users'
const csv = 'text/csv'
const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const token = z.string().max(256).nullish()

/** The formats of files of users. */
export enum ImportUsersFromFileType {
  Excel = 1,
  Csv = 2,
}

const fileType = enumeration('ImportUsersFromFileType', ImportUsersFromFileType)

/** A token with which a browser loads one file within a minute, without the headers of a signed-in user. */
export class DownloadTokenResultDto extends Dto({ token: z.string() }) {}

/** Which users, as for a list; all of them, whatever page is asked for. */
export class GetIdentityUserListAsFileInput extends Dto({ ...GetIdentityUsersInput.shape, token }) {}

/** The most rows of a file of users: to hash a password takes a moment, and that of more rows would take minutes. */
export const mostImportedUsers = 1000

/**
 * A file of users to be, or a portion of its rows. A caller that shows how far an import is sends the file once for each portion.
 */
export class ImportUsersFromFileInput extends Dto({
  file: file(csv, workbook),
  /** How many rows to pass over: those of earlier portions. */
  skipCount: z.int().min(0).default(0),
  /** How many rows to import at most. */
  maxResultCount: z.int().min(1).max(mostImportedUsers).default(mostImportedUsers),
  /** The token of the portion before: the refused rows that it opens come back with those of this portion, and it opens nothing any more. */
  invalidUsersDownloadToken: token,
}) {}

/** How many rows of a file became users. */
export class ImportUsersFromFileOutput extends Dto({
  /** How many rows the file has. */
  allCount: z.int(),

  /** How many rows became users, of those that were asked for. */
  succeededCount: z.int(),

  /** How many rows were refused, of those that were asked for. */
  failedCount: z.int(),
  /** Opens the file of the refused rows, within ten minutes; empty when there are none. */
  invalidUsersDownloadToken: z.string(),
  isAllSucceeded: z.boolean(),
}) {}

/**
 * Users as files, by ABP's routes. A file is given out for a token of `getDownloadToken`, or without one to
 * callers whose headers say who they are and who have the permission.
 */
export abstract class IdentityUserFileAppService extends AppService(
  Identity,
  'IdentityUserFileAppService',
  {
    /** Makes a token to download one file within a minute. */
    getDownloadToken: op().returns(DownloadTokenResultDto).at('GET', `${path}/download-token`),
    /** Downloads the list of users as an Excel workbook. */
    getListAsExcelFile: op(GetIdentityUserListAsFileInput)
      .returns(file(workbook))
      .at('GET', `${path}/export-as-excel`),
    /** Downloads the list of users as CSV. */
    getListAsCsvFile: op(GetIdentityUserListAsFileInput)
      .returns(file(csv))
      .at('GET', `${path}/export-as-csv`),
    /**
     * Downloads a file to fill in with users, with two rows as examples.
     * @param fileType The format of the file.
     * @param token A token of `getDownloadToken`, for callers without headers.
     */
    getImportUsersSampleFile: op(param('fileType', fileType), param('token', token))
      .returns(file(csv, workbook))
      .at('GET', `${path}/import-users-sample-file`),
    /**
     * Imports users from a file, one for each row. A row that is refused leaves the others alone. It takes
     * the permission to create users as well, and roles are ignored without the permission to manage them.
     * @param fileType The format that refused rows are given back in; Excel when not given.
     */
    importUsersFromFile: op(param('fileType', fileType.optional()), ImportUsersFromFileInput)
      .returns(ImportUsersFromFileOutput)
      .at('POST', `${path}/import-users-from-file`),
    /**
     * Downloads the rows of an import that did not become users, with the reasons and without the
     * passwords. The file can be mended and imported again.
     * @param token `invalidUsersDownloadToken` of the import.
     */
    getImportInvalidUsersFile: op(param('token', z.string().max(256)))
      .returns(file(csv, workbook))
      .at('GET', `${path}/download-import-invalid-users-file`),
  },
  'Import and export of users',
) {}
