// node .ci/install.mjs <folder>: installs the packages of a folder that has a lock of its own (test/third-party, .ci/release), unless they are
// installed as that lock says. Ends with 1, after saying what to do, when they cannot be installed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = process.argv[2] ?? ''
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))
if (!isInstalled()) install()

function install() {
  const command = `npm ci --prefix ${folder}`
  console.log(`The packages of ${folder} are not installed as its lock says: ${command}`)
  const { status } = spawnSync(command, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status === 0) return
  console.error(
    `The packages of ${folder} could not be installed, what needs them fails: see the errors above, then run \`${command}\`. It needs the npm registry.`,
  )
  process.exitCode = 1
}

/** Whether npm has installed every package of the lock that it could not leave out, in the version that the lock names. */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json')
  return (
    installed !== undefined &&
    Object.entries(packagesOf('package-lock.json') ?? {})
      .filter(([path, { optional }]) => path.startsWith('node_modules/') && !(optional && !installed[path]))
      .every(([path, { version, integrity }]) => {
        const there = installed[path]
        return there !== undefined && there.version === version && there.integrity === integrity
      })
  )
}

/** The packages of a lock by their paths; undefined when there is no such file. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8')).packages
  } catch {
    return undefined
  }
}
