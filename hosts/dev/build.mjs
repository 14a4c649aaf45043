import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprintOf, isCompiled, noteCompiled } from './sources.mjs'

/**
 * The programs that run here. The packages that they use are compiled with them; tests and proxies are not.
 */
const programs = ['hosts/dev', 'hosts/api', 'hosts/auth', 'hosts/admin', 'hosts/schema', 'migrator']

/**
 * Checks Node, then compiles what changed since the last time. Ends the process with 1, after saying what to
 * do, when it cannot.
 * @param {string} root the folder of the solution
 * @param {NodeJS.WriteStream} output takes one line per step
 * @returns {Promise<string | undefined>} the fingerprint of the sources that were compiled; undefined where there is none
 */
export async function build(root, output) {
  checkNode(root)
  const compiler = compilerOf(root)
  if (!compiler) fail('The packages are not installed: run `npm ci` or `npm install` first.')
  const projects = programs.map((program) => join(root, program)).filter((folder) => existsSync(folder))
  // Of the time before: what changes while the compiler runs is compiled next time.
  const sources = fingerprintOf(root, projects)
  if (isCompiled(root, projects, sources)) return sources
  const args = [compiler, '-b', ...projects, ...(output.isTTY ? ['--pretty'] : [])]
  await step('code compiled', args, root, output)
  noteCompiled(root, projects, sources)
  return sources
}

/** The compiler of a solution: `@typescript/native` where TypeScript 6 stands beside it. Undefined when none is installed. */
export function compilerOf(root) {
  return ['@typescript/native', 'typescript']
    .map((name) => join(root, 'node_modules', name, 'bin', 'tsc'))
    .find((path) => existsSync(path))
}

function checkNode(root) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [major, minor] = engines.node.match(/\d+/g).map(Number)
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number)
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return
  fail(
    `Keel needs Node.js ${engines.node}, this is ${process.version}: install a newer one from https://nodejs.org.`,
  )
}

async function step(name, args, root, output) {
  const began = Date.now()
  if (output.isTTY) output.write(`… ${name}`)
  const { code, said } = await run(args, root)
  if (output.isTTY) output.write('\r\u001b[K')
  if (code !== 0) {
    process.stderr.write(`${said.trimEnd()}\n`)
    fail(`✗ not ${name}: see the errors above.`)
  }
  output.write(`✓ ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`)
}

function run(args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
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
