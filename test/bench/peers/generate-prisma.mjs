// Writes Prisma's client from prisma/schema.prisma into src/.generated. Prisma's command line downloads its engine for migrations before it
// does anything, unless it is told of one; generating a client needs none, so that it is told of Node.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const { status } = spawnSync('prisma', ['generate', '--no-hints'], {
  cwd: fileURLToPath(new URL('.', import.meta.url)),
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  shell: true,
  stdio: ['ignore', 'ignore', 'inherit'],
})
process.exitCode = status ?? 1
