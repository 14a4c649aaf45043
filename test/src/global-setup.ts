import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createDatabase, dropDatabase, type EmbeddedPostgres, ensurePostgres } from '@keel/framework/data'
import { serverVariable, templates } from './test-databases.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Starts PostgreSQL and makes the migrated databases that every test file gets copies of, with the real programs. */
export default async function setUp(): Promise<() => Promise<void>> {
  const server = await ensurePostgres({ directory: `${root}.keel/test`, port: 54339 })
  const connections: Record<string, string> = {}
  for (const [connection, name] of Object.entries(templates)) {
    await dropDatabase(server, name)
    await createDatabase(server, name)
    connections[`ConnectionStrings__${connection}`] = server.urlOf(name)
  }
  await Promise.all([
    run('hosts/schema/dist/main.js', connections),
    run('migrator/dist/main.js', connections),
  ])
  process.env[serverVariable] = server.urlOf('')
  return () => tearDown(server)
}

async function tearDown(server: EmbeddedPostgres): Promise<void> {
  await server.stop('at-once')
}

function run(program: string, env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [root + program], {
      env: { ...process.env, ...env, KEEL_ENVIRONMENT: 'Development' },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}:\n${said}`)),
    )
  })
}
