import { type ImportDto, ImportStatus } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { BackgroundJobs } from '@keel/framework/jobs'
import { expect } from 'vitest'
import type { App, AppCaller } from './app.js'
import { hubOf } from './hub-rows.js'

/** Fields of the form beside the file, and the language of the request. */
export interface UploadOptions {
  readonly fields?: Readonly<Record<string, string>>
  readonly culture?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const dryRun = { fields: { dryRun: 'true' } } as const

/** A CSV file of these lines. */
export const csvOf = (...lines: readonly string[]) =>
  new File([lines.join('\n')], 'rows.csv', { type: 'text/csv' })

/** The path of the imports of a list: of Hub, `port`, or of another service, `pricing/exchange-rate`. */
const pathOf = (list: string) => `/api/${list.includes('/') ? list : `hub/${list}`}/import`

/** Uploads a file to a list of Hub, e.g. `port`, or of another service, e.g. `pricing/exchange-rate`. */
export async function upload(
  who: AppCaller,
  list: string,
  file: File,
  { fields = {}, culture = 'en', headers: further = {} }: UploadOptions = {},
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file)
  const headers = { 'accept-language': culture, ...further }
  const response = await who.fetch(pathOf(list), { method: 'POST', body: form, headers })
  // biome-ignore lint/suspicious/noExplicitAny: answers and errors
  return { status: response.status, body: (await response.json()) as any }
}

/** The report of an import that is over. */
export async function reportOf(
  who: AppCaller,
  list: string,
  id: string,
  culture = 'en',
): Promise<ImportDto & { faults: NonNullable<ImportDto['faults']> }> {
  let report: ImportDto | undefined
  const read = async (): Promise<ImportStatus> => {
    const headers = { 'accept-language': culture }
    const response = await who.fetch(`${pathOf(list)}/${id}`, { headers })
    report = (await response.json()) as ImportDto
    return report.status
  }
  await expect.poll(read, { timeout: 20_000, interval: 50 }).toBeGreaterThan(ImportStatus.Running)
  return report as never
}

/** Uploads a file and waits until its import is over. */
export async function imported(who: AppCaller, list: string, file: File, options: UploadOptions = {}) {
  const { status, body } = await upload(who, list, file, options)
  expect({ status, body }).toMatchObject({ status: 200 })
  return reportOf(who, list, body.id, options.culture)
}

const hold = `create function test_hold_import() returns trigger language plpgsql as $$
begin
  if starts_with(new."JobName", 'Import.') then new."NextTryTime" := new."NextTryTime" + interval '1 hour'; end if;
  return new;
end $$;
create trigger test_hold_import before insert on "AbpBackgroundJobs" for each row execute function test_hold_import()`

/** Keeps imports that are added by `work` waiting. */
export async function holdingImports<T>(app: App, work: () => Promise<T>): Promise<T> {
  const database = app.host.get(Databases).named('Default')
  await database.withConnection((session) => session.query(hold))
  try {
    return await work()
  } finally {
    await database.withConnection((session) =>
      session.query('drop trigger test_hold_import on "AbpBackgroundJobs"; drop function test_hold_import()'),
    )
  }
}

/** Has the job of an import run that waits. */
export async function release(app: App, id: string): Promise<void> {
  const [found] = await hubOf(app).query<{ jobId: string }>(
    sql`select "JobId" as "jobId" from "KeelImports" where "Id" = ${id}`,
  )
  await app.host.get(BackgroundJobs).retry(found?.jobId ?? '')
}
