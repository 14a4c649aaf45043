import { createApplication, KeelModule, loadConfiguration, Module } from '@keel/framework'
import { type NewRow, UnitOfWork } from '@keel/framework/data'
import { type Crate, CrateStore, CratesModule } from './crates.js'

@Module({ dependsOn: [CratesModule] })
class WriterHost extends KeelModule {}

const inBatch = { audit: 'count', events: 'batch' } as const
const size = Number(process.env.BATCH_SIZE)
const application = createApplication(WriterHost, loadConfiguration({ directory: import.meta.dirname }))
await application.start()
const crates = application.get(CrateStore)
process.stdout.write('writing\n')

// Until the process is killed. Each batch is two writes of many rows in one unit of work.
for (let batch = 0; ; batch += 1) {
  await UnitOfWork.run(async () => {
    const name = `${process.pid}-${batch}`.slice(-10)
    await crates.insertMany(numbered(name), inBatch)
    const made = numbered(name).map(({ note }) => ({ note, quantity: 2 }))
    await crates.upsertMany(made, { ...inBatch, by: ['note'] })
  })
  process.stdout.write('written\n')
}

/** The crates of a batch; their notes are unique, their names are the batch's. */
function numbered(name: string): NewRow<Crate>[] {
  return Array.from({ length: size }, (_, index) => ({ code: `${index}`, note: `${name}/${index}` }))
}
