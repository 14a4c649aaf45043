import { readFileSync, writeFileSync } from 'node:fs'
import { createApplication } from '../modularity/application.js'
import { Configuration } from '../modularity/configuration.js'
import { StartupError } from '../modularity/startup-error.js'
import { type HostContract, hostContract } from './contract.js'
import { contractChanges, versionStep } from './contract-diff.js'
import { loadRoot } from './root-module.js'

/** The contract of the host that a package or a file exports. Nothing is started, no database is asked. */
export async function contractOfHost(host: string, directory: string): Promise<HostContract> {
  const { root } = await loadRoot(host, directory)
  return hostContract(createApplication(root, contractConfiguration()))
}

/** For a host that is composed to be described. Composing wants addresses, although nobody goes there. */
export function contractConfiguration(): Configuration {
  return new Configuration().add(
    {
      'ConnectionStrings:Default': 'postgres://nobody@localhost/nothing',
      'AuthServer:Authority': 'https://localhost',
    },
    'keel contract',
  )
}

/** Writes a contract so that two of them can be compared line by line. */
export function writeContract(contract: HostContract, file: string): void {
  writeFileSync(file, `${JSON.stringify(contract, null, 2)}\n`)
}

/** Compares two written contracts: the changes as a text, and whether one of them is breaking. */
export function compareContracts(old: string, now: string): { report: string; breaks: boolean } {
  const [before, after] = [readContract(old), readContract(now)]
  const changes = contractChanges(before, after)
  const breaks = changes.some(({ isBreaking }) => isBreaking)
  const lines = changes.map(
    ({ isBreaking, where, what }) => `${isBreaking ? 'breaking  ' : 'compatible'}  ${where}: ${what}`,
  )
  const step = versionStep(changes, before.version.startsWith('0.'))
  const summary = changes.length
    ? `${changes.length} changes, ${changes.filter(({ isBreaking }) => isBreaking).length} of them breaking: the next version after ${before.version} is a ${step} one.`
    : 'Nothing changed.'
  return { report: `${[...lines, summary].join('\n')}\n`, breaks }
}

function readContract(file: string): HostContract {
  const fault = (cause: unknown): StartupError =>
    new StartupError(`${file} is no contract: write one with keel contract write <host> <file>`, { cause })
  let read: Partial<HostContract>
  try {
    read = JSON.parse(readFileSync(file, 'utf8')) as Partial<HostContract>
  } catch (cause) {
    throw fault(cause)
  }
  if (read.keelContract !== 1) throw fault(undefined)
  return read as HostContract
}
