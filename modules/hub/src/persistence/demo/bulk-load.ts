import { type DatabaseSession, inTransaction } from '@keel/framework/data'

interface Definition {
  drop: string
  create: string
  /** Of an index: its table. */
  table?: string
}

/**
 * Tables whose rows keep their readers by what is in them, which is loaded after them. Their rows are written again then, before their indexes
 * are built: GIN takes the most frequent entry for the rarest when the first page of its rows was emptied, and reads all of them.
 */
const carriers = ['HubContainers', 'HubConsols']

/**
 * Runs `load` in a transaction in which `tables` have neither foreign keys nor secondary indexes nor triggers that change other rows; they are
 * built again afterwards, which is several times faster than keeping them up row by row. A failure leaves
 * everything as it was. Other sessions wait for these tables meanwhile, so this is for data sets, not for
 * daily work. Ends with VACUUM and ANALYZE, without which index-only scans have to look at the rows after
 * all.
 */
export async function bulkLoad(
  session: DatabaseSession,
  tables: readonly string[],
  load: () => Promise<void>,
  onBuild: (done: number, total: number) => void,
): Promise<void> {
  const names = tables.map((table) => `"${table}"`)
  await inTransaction(session, async () => {
    // Foreign keys come first both ways round: validating them needs no index, only the primary keys.
    const definitions = [
      ...(await foreignKeys(session, names)),
      ...(await secondaryIndexes(session, names)),
      ...(await triggersOfOtherRows(session, names)),
    ]
    for (const { drop } of definitions) await session.query(drop)
    await load()
    await session.query("set local maintenance_work_mem = '256MB'")
    const ofCarriers = definitions.filter(({ table }) => table !== undefined && carriers.includes(table))
    let done = 0
    const build = async (some: readonly Definition[]) => {
      for (const { create } of some) {
        onBuild(done++, definitions.length)
        await session.query(create)
      }
    }
    await build(definitions.filter((one) => !ofCarriers.includes(one)))
    for (const table of carriers) await session.query(`update "${table}" set "ReaderIds" = '{}'`)
    await build(ofCarriers)
    onBuild(definitions.length, definitions.length)
  })
  await session.query(`vacuum (analyze) ${names.join(', ')}`)
}

async function foreignKeys(session: DatabaseSession, names: readonly string[]): Promise<Definition[]> {
  const { rows } = await session.query<Definition>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
     from pg_constraint where contype = 'f' and conrelid = any($1::regclass[]) order by conname`,
    [names],
  )
  return rows
}

async function secondaryIndexes(session: DatabaseSession, names: readonly string[]): Promise<Definition[]> {
  const { rows } = await session.query<Definition>(
    `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create, relname as table
     from pg_index join pg_class on pg_class.oid = indrelid where indrelid = any($1::regclass[])
       and not exists (select from pg_constraint where conindid = indexrelid)
     order by indexrelid`,
    [names],
  )
  return rows
}

/** Triggers after rows, such as those of `schema/0027-readers.sql`: they look for other rows by indexes. */
async function triggersOfOtherRows(
  session: DatabaseSession,
  names: readonly string[],
): Promise<Definition[]> {
  const { rows } = await session.query<Definition>(
    `select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as drop,
            format('alter table %s enable trigger %I', tgrelid::regclass, tgname) as create
     from pg_trigger where tgrelid = any($1::regclass[]) and not tgisinternal and starts_with(tgname, 'KEEP_') and tgtype & 2 = 0
     order by tgrelid, tgname`,
    [names],
  )
  return rows
}
