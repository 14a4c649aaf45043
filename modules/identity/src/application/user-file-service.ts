import { Application, AutoApiController, ambient, maySetField } from '@keel/framework'
import {
  type FileContent,
  ForbiddenError,
  KeelError,
  type OwnField,
  ValidationError,
  type ValidationFault,
} from '@keel/framework/contracts'
import { type OwnSheetColumn, ownSheetColumns, PageReader, UnitOfWork } from '@keel/framework/data'
import { envelopeOf } from '@keel/framework/http'
import { AllowAnonymous, hasPermission, RequiresPermission } from '@keel/framework/security'
import {
  type ReadRow,
  readSpreadsheet,
  type SheetColumns,
  type SheetRow,
  type SpreadsheetFormat,
  spreadsheetFile,
} from '@keel/framework/spreadsheets'
import {
  DownloadTokenResultDto,
  type GetIdentityUserListAsFileInput,
  IdentityUserAppService,
  type IdentityUserCreateDto,
  IdentityUserFileAppService,
  IdentityUserPermissions,
  type ImportUsersFromFileInput,
  ImportUsersFromFileOutput,
  ImportUsersFromFileType,
  mostImportedUsers,
  userOwnFields,
} from '../contracts/index.js'
import {
  exportColumns,
  type ImportRow,
  importColumns,
  reasonColumn,
  rolesOf,
  sampleRows,
  sampleValueOf,
} from '../domain/user-sheet.js'
import { DownloadTokens } from '../persistence/download-tokens.js'
import {
  type ExportedUser,
  exportedColumns,
  exportedUserView,
  isBehind,
  usersAskedFor,
} from '../persistence/user-views.js'
import { type DownloadAsker, DownloadRights } from './download-rights.js'
import { OwnFieldColumns } from './user-file-own-fields.js'

const batch = 1000
/** Of a workbook. A thousand users need a tenth. */
const mostUnpackedBytes = 32 * 1024 * 1024

type FileType = keyof typeof ImportUsersFromFileType | ImportUsersFromFileType

/** A row that was refused, as the file to mend shows it. */
interface RefusedRow {
  readonly cells: Readonly<Record<string, string | null>>
  readonly errorReason: string
}

/** The own fields of users that a caller sees, and those that the caller may set. */
interface OwnFieldRights {
  readonly ownFields: readonly OwnField[]
  readonly settable: readonly OwnField[]
}

/** Refused rows until they are fetched, by the caller who brought them. */
interface Refused {
  readonly asker: DownloadAsker
  readonly format: SpreadsheetFormat
  /** The headers of own fields by the names of their cells. */
  readonly headers: Readonly<Record<string, string>>
  readonly rows: readonly RefusedRow[]
}

@AutoApiController(IdentityUserFileAppService)
export class UserFileService implements IdentityUserFileAppService {
  constructor(
    private readonly pages: PageReader,
    private readonly application: Application,
    private readonly users: IdentityUserAppService,
    private readonly tokens: DownloadTokens,
    private readonly rights: DownloadRights,
  ) {}

  @RequiresPermission(IdentityUserPermissions.Default)
  async getDownloadToken(): Promise<DownloadTokenResultDto> {
    const { userId } = ambient().principal
    if (!userId) throw new ForbiddenError()
    const asker = await this.rights.asker()
    return new DownloadTokenResultDto({ token: await this.tokens.issue(userId, 'Files', asker) })
  }

  @AllowAnonymous()
  async getListAsExcelFile(input: GetIdentityUserListAsFileInput): Promise<FileContent> {
    return this.export('xlsx', input)
  }

  @AllowAnonymous()
  async getListAsCsvFile(input: GetIdentityUserListAsFileInput): Promise<FileContent> {
    return this.export('csv', input)
  }

  @AllowAnonymous()
  async getImportUsersSampleFile(fileType: FileType, token?: string | null): Promise<FileContent> {
    const { settable: fields } = await this.demand(token, IdentityUserPermissions.Import)
    const format = formatOf(fileType)
    const own = this.sheetColumns(fields, format)
    const extraProperties = Object.fromEntries(fields.map((field) => [field.name, sampleValueOf(field)]))
    const rows = sampleRows().map((row) => ({
      ...row,
      ...Object.fromEntries(own.map(({ name, cell }) => [name, cell({ extraProperties })])),
    }))
    return spreadsheetFile(format, 'ImportUsersSampleFile', { ...importColumns, ...headed(own) }, rows)
  }

  @RequiresPermission(IdentityUserPermissions.Import)
  async importUsersFromFile(
    fileType: FileType | undefined,
    { file, skipCount, maxResultCount, invalidUsersDownloadToken }: ImportUsersFromFileInput,
  ): Promise<ImportUsersFromFileOutput> {
    const refused: RefusedRow[] = []
    // Read as a whole before anything is made of it: a file that breaks off makes no users.
    const { ownFields, localization } = this.application
    const own = new OwnFieldColumns(ownFields.of(userOwnFields), localization, ambient().culture)
    const columns = { ...importColumns, ...own.columns }
    const rows: ReadRow<typeof columns>[] = []
    const options = {
      maxRows: mostImportedUsers,
      maxUnpackedBytes: mostUnpackedBytes,
      required: ['userName', 'email', 'password'],
    }
    for await (const row of readSpreadsheet(columns, file, options)) rows.push(row)
    const asked = rows.slice(skipCount, skipCount + maxResultCount)
    for (const { values, faults } of asked) {
      const row = plainCellsOf(values)
      const errorReason = faults.length
        ? this.reasonOf(new ValidationError(withHeaders(faults, columns)))
        : await this.add(row, own.valuesIn(values))
      if (errorReason !== undefined)
        refused.push({ cells: { ...row, ...own.textsIn(values), password: null }, errorReason })
    }
    const { userId } = ambient().principal
    const shown = Object.entries(own.columns).filter(([name]) => refused.some(({ cells }) => name in cells))
    const earlier = await this.takeRefused(invalidUsersDownloadToken)
    const content: Refused = {
      asker: await this.rights.asker(),
      format: fileType ? formatOf(fileType) : 'xlsx',
      headers: {
        ...earlier?.headers,
        ...Object.fromEntries(shown.map(([name, { header }]) => [name, header])),
      },
      rows: [...(earlier?.rows ?? []), ...refused],
    }
    return new ImportUsersFromFileOutput({
      allCount: rows.length,
      succeededCount: asked.length - refused.length,
      failedCount: refused.length,
      invalidUsersDownloadToken:
        content.rows.length && userId ? await this.tokens.issue(userId, 'InvalidUsers', content) : '',
      isAllSucceeded: refused.length === 0,
    })
  }

  @AllowAnonymous()
  async getImportInvalidUsersFile(token: string): Promise<FileContent> {
    const refused = await this.takeRefused(token)
    if (!refused) throw new ForbiddenError()
    const own = Object.entries(refused.headers).map(
      ([name, header]) => [name, { header, kind: 'text' }] as const,
    )
    const columns = { ...importColumns, ...Object.fromEntries(own), ...reasonColumn }
    const rows = refused.rows.map(({ cells, errorReason }) => ({ ...cells, errorReason }))
    return spreadsheetFile(refused.format, 'InvalidUsers', columns as SheetColumns, rows)
  }

  /** The refused rows that a token opens, which opens nothing any more; undefined without one that still does. */
  private async takeRefused(token: string | null | undefined): Promise<Refused | undefined> {
    const refused = token
      ? ((await this.tokens.take(token, 'InvalidUsers')) as Refused | undefined)
      : undefined
    if (refused)
      await this.rights.as(refused.asker, async () => refuseWithout(IdentityUserPermissions.Import))
    return refused
  }

  private async export(
    format: SpreadsheetFormat,
    input: GetIdentityUserListAsFileInput,
  ): Promise<FileContent> {
    const { ownFields } = await this.demand(input.token, IdentityUserPermissions.Export)
    const own = this.sheetColumns(ownFields, format)
    const columns = { ...exportColumns, ...headed(own) }
    return spreadsheetFile(format, 'UserList', columns, withOwnFields(this.rowsOf(input), own))
  }

  private sheetColumns(fields: readonly OwnField[], format: SpreadsheetFormat): readonly OwnSheetColumn[] {
    const { localization } = this.application
    return ownSheetColumns(fields, { localization, culture: ambient().culture, format })
  }

  /**
   * Refuses a request without the permission: that of the caller or, with a token, of the caller who had it issued, as they are now.
   * Answers the rights of the same person to own fields.
   */
  private async demand(token: string | null | undefined, permission: string): Promise<OwnFieldRights> {
    const asker = token ? ((await this.tokens.take(token, 'Files')) as DownloadAsker | undefined) : undefined
    const rights = async (): Promise<OwnFieldRights> => {
      refuseWithout(permission)
      const { principal } = ambient()
      const { fields: ownFields } = this.application.ownFields.seenBy(principal, userOwnFields)
      return { ownFields, settable: ownFields.filter((field) => maySetField(field, principal)) }
    }
    return asker ? this.rights.as(asker, rights) : rights()
  }

  /** The users of a list by name, a batch at a time: rows are asked for as they are sent. */
  private async *rowsOf(input: GetIdentityUserListAsFileInput): AsyncGenerator<ExportedUser> {
    let last: string | undefined
    do {
      const asked = usersAskedFor(input)
      const rows = await this.pages.values<ExportedUser>(exportedUserView, exportedColumns, {
        ...asked,
        conditions: [...asked.conditions, last === undefined ? undefined : isBehind(last)],
        defaultSorting: 'normalizedUserName',
        maxResultCount: batch,
      })
      yield* rows
      last = rows.length < batch ? undefined : rows.at(-1)?.normalizedUserName
    } while (last !== undefined)
  }

  /** Makes a user of a row, by itself; answers why it was refused, in the caller's language. */
  private async add(
    { roleNames, ...row }: ImportRow,
    extraProperties: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    const roles = rolesOf(roleNames)
    const input = { ...row, extraProperties, ...(roles && { roleNames: roles }) } as IdentityUserCreateDto
    try {
      await UnitOfWork.apart(() => this.users.create(input))
      return undefined
    } catch (error) {
      if (!(error instanceof KeelError)) throw error
      return this.reasonOf(error)
    }
  }

  private reasonOf(error: KeelError): string | undefined {
    const { localization } = this.application
    const telling = { culture: ambient().culture, localization, verbose: false }
    const { message, validationErrors } = envelopeOf(error, telling).error
    return error instanceof ValidationError
      ? (validationErrors ?? []).map((fault) => fault.message).join(' · ')
      : (message ?? undefined)
  }
}

/** Strangers are told the same as users without the permission: the token is what lets them in. */
function refuseWithout(permission: string): void {
  if (!hasPermission(permission)) throw new ForbiddenError()
}

function headed(own: readonly OwnSheetColumn[]) {
  return Object.fromEntries(own.map(({ name, header, kind }) => [name, { header, kind }]))
}

/** Faults of cells, with the headers of their columns for members. */
function withHeaders(faults: readonly ValidationFault[], columns: SheetColumns): ValidationFault[] {
  return faults.map((fault) => ({
    ...fault,
    members: fault.members.map((name) => columns[name]?.header ?? name),
  }))
}

/** The cells of ABP's columns. */
function plainCellsOf(values: Readonly<Record<string, unknown>>): ImportRow {
  return Object.fromEntries(
    Object.keys(importColumns).map((name) => [name, values[name] as string | null]),
  ) as ImportRow
}

async function* withOwnFields(
  rows: AsyncIterable<ExportedUser>,
  own: readonly OwnSheetColumn[],
): AsyncGenerator<SheetRow<typeof exportColumns>> {
  for await (const row of rows)
    yield { ...row, ...Object.fromEntries(own.map(({ name, cell }) => [name, cell(row)])) }
}

function formatOf(fileType: FileType): SpreadsheetFormat {
  const chosen = typeof fileType === 'number' ? fileType : ImportUsersFromFileType[fileType]
  return chosen === ImportUsersFromFileType.Csv ? 'csv' : 'xlsx'
}
