import { ImportStatus, type TextReference } from '../contracts/index.js'
import type { Database } from '../data/connections/database.js'
import { and, raw, type Sql, sql } from '../data/wire/sql.js'

/** A fault as it is stored. */
export interface StoredFault {
  readonly row: number | null
  readonly column: string | null
  readonly value: string | null
  readonly code: string
  readonly message: string
  readonly text?: TextReference
}

/** The counts and faults of an import. */
export interface ImportOutcome {
  readonly status: ImportStatus.Completed | ImportStatus.Refused
  readonly rowCount: number
  readonly insertedCount: number
  readonly updatedCount: number
  readonly faultCount: number
  readonly ignoredColumns: readonly string[]
  readonly faults: readonly StoredFault[]
}

/** An import as it is stored. */
export interface ImportRecord extends Omit<ImportOutcome, 'status'> {
  readonly id: string
  readonly jobId: string | null
  readonly fileName: string
  readonly blobName: string
  readonly encoding: string
  readonly isDryRun: boolean
  readonly creatorId: string
  readonly creationTime: Date
  /** Null until it is over. */
  readonly completionTime: Date | null
  /** Null until it is over. */
  readonly status: ImportStatus | null
}

/** A new import. */
export type NewImport = Pick<
  ImportRecord,
  'id' | 'fileName' | 'blobName' | 'encoding' | 'isDryRun' | 'creatorId'
> & {
  readonly contract: string
}

const columns =
  raw(`"Id" as id, "JobId" as "jobId", "FileName" as "fileName", "BlobName" as "blobName", "Encoding" as encoding,
  "IsDryRun" as "isDryRun", "CreatorId" as "creatorId", "CreationTime" as "creationTime", "CompletionTime" as "completionTime",
  "Status" as status, "RowCount" as "rowCount", "InsertedCount" as "insertedCount", "UpdatedCount" as "updatedCount",
  "FaultCount" as "faultCount", "IgnoredColumns" as "ignoredColumns"`)

/** Selects the imports of a contract: those of one user, or of all users. */
export interface ImportOwner {
  readonly contract: string
  /** Undefined for those of everybody. */
  readonly creatorId: string | undefined
}

/** The imports into lists of a database. */
export class ImportRecords {
  constructor(readonly database: Database) {}

  async add({ id, contract, fileName, blobName, encoding, isDryRun, creatorId }: NewImport): Promise<void> {
    await this.database.execute(sql`
      insert into "KeelImports" ("Id", "Contract", "FileName", "BlobName", "Encoding", "IsDryRun", "CreatorId", "CreationTime")
      values (${id}, ${contract}, ${fileName}, ${blobName}, ${encoding}, ${isDryRun}, ${creatorId}, now())`)
  }

  async setJob(id: string, jobId: string): Promise<void> {
    await this.database.execute(sql`update "KeelImports" set "JobId" = ${jobId} where "Id" = ${id}`)
  }

  /** The import with this id; undefined when there is none of the owner. */
  async find(id: string, owner: ImportOwner): Promise<ImportRecord | undefined> {
    const [found] = await this.database.query<ImportRecord>(sql`
      select ${columns}, "Faults" as faults from "KeelImports" where ${and([sql`"Id" = ${id}`, ...of(owner)])}`)
    return found
  }

  /** Imports without their faults, newest first. */
  async page(
    owner: ImportOwner,
    { skipCount, maxResultCount }: { readonly skipCount: number; readonly maxResultCount: number },
  ): Promise<{ readonly totalCount: number; readonly records: readonly ImportRecord[] }> {
    const where = and(of(owner))
    const [counted] = await this.database.query<{ n: number }>(
      sql`select count(*)::int as n from "KeelImports" where ${where}`,
    )
    const records = await this.database.query<ImportRecord>(sql`
      select ${columns}, '[]'::jsonb as faults from "KeelImports" where ${where}
      order by "CreationTime" desc, "Id" limit ${maxResultCount} offset ${skipCount}`)
    return { totalCount: counted?.n ?? 0, records }
  }

  /** Closes an import, in the transaction at hand. False when it is over already. */
  async close(id: string, outcome: ImportOutcome): Promise<boolean> {
    const touched = await this.database.execute(sql`
      update "KeelImports" set "CompletionTime" = now(), "Status" = ${outcome.status}, "RowCount" = ${outcome.rowCount},
        "InsertedCount" = ${outcome.insertedCount}, "UpdatedCount" = ${outcome.updatedCount}, "FaultCount" = ${outcome.faultCount},
        "IgnoredColumns" = ${JSON.stringify(outcome.ignoredColumns)}::jsonb, "Faults" = ${JSON.stringify(outcome.faults)}::jsonb
      where "Id" = ${id} and "Status" is null`)
    return touched > 0
  }

  /** Deletes imports that were begun before an instant, and answers the names of their files. */
  async deleteBefore(before: Date): Promise<string[]> {
    const deleted = await this.database.query<{ blobName: string }>(
      sql`delete from "KeelImports" where "CreationTime" < ${before} returning "BlobName" as "blobName"`,
    )
    return deleted.map(({ blobName }) => blobName)
  }
}

function of({ contract, creatorId }: ImportOwner): Sql[] {
  return [
    sql`"Contract" = ${contract}`,
    ...(creatorId === undefined ? [] : [sql`"CreatorId" = ${creatorId}`]),
  ]
}
