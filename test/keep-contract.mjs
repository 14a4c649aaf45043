// `node test/keep-contract.mjs`, after `npm run build`: keeps the contract of the API host as `test/contract.json.gz`, which tests compare later ones with.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const folder = mkdtempSync(join(tmpdir(), 'keel-contract-'))
try {
  const written = join(folder, 'contract.json')
  const keel = fileURLToPath(new URL('../framework/bin/keel.js', import.meta.url))
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  execFileSync(process.execPath, [keel, 'contract', 'write', '@keel/api-host', written], {
    cwd,
    stdio: 'inherit',
  })
  const contract = JSON.stringify(JSON.parse(readFileSync(written, 'utf8')))
  writeFileSync(new URL('contract.json.gz', import.meta.url), gzipSync(contract, { level: 9 }))
} finally {
  rmSync(folder, { recursive: true })
}
