import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The programs that run here. The packages that they use are compiled with them; tests and proxies are not.
 */
const programs = ['hosts/dev', 'hosts/api', 'hosts/auth', 'hosts/admin', 'hosts/schema', 'migrator']
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/**
 * Checks Node, then compiles what changed since the last time. Ends the process with 1, after saying what to
 * do, when it cannot.
 * @param {NodeJS.WriteStream} output takes one line per step
 */
export async function build(output) {
  checkNode()
  const compiler = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc')
  if (!existsSync(compiler)) fail('The packages are not installed: run `npm ci` first.')
  const projects = programs.map((program) => join(root, program))
  await step('code compiled', [compiler, '-b', ...projects, ...(output.isTTY ? ['--pretty'] : [])], output)
}

function checkNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [major, minor] = engines.node.match(/\d+/g).map(Number)
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number)
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return
  fail(
    `Keel needs Node.js ${engines.node}, this is ${process.version}: install a newer one from https://nodejs.org.`,
  )
}

async function step(name, args, output) {
  const began = Date.now()
  if (output.isTTY) output.write(`… ${name}`)
  const { code, said } = await run(args)
  if (output.isTTY) output.write('\r\u001b[K')
  if (code !== 0) {
    process.stderr.write(`${said.trimEnd()}\n`)
    fail(`✗ not ${name}: see the errors above.`)
  }
  output.write(`✓ ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`)
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, said }))
  })
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
