import { resolve } from 'node:path'
import { StartupError } from '../modularity/startup-error.js'
import { compareContracts, contractOfHost, writeContract } from './contract-files.js'
import { diagnose } from './doctor.js'
import { moduleGraph } from './module-graph.js'
import { writeModule } from './module-new.js'
import { loadComposition } from './root-module.js'
import { routeTable } from './routes.js'

const commands = { routes: routeTable, 'module graph': moduleGraph } as const

const usage = `usage: keel <command> <host>

  keel routes <host>        every route with its operation and the permission it needs
  keel module graph <host>  the modules in the order they start, with what each depends on
  keel module new <name> <entity>
                            writes a module with its first entity into the repository, e.g. keel module new fleet vehicle
  keel contract write <host> <file>
                            keeps what others rely on: operations, entity sets, permissions, settings, features, events
  keel contract diff <old> <new>
                            what changed between two such files, whether it breaks anybody, and the version step it asks for
  keel doctor <host>        what the host leans on: databases, auth server, addresses; settings may follow (--App:SelfUrl=…)

<host> is a package or a compiled file that exports the root module, e.g. @keel/api-host. Nothing is started.
`

/** Runs a command line and gives its exit code: 2 when it was not understood, 1 when the host can't be composed. */
export async function run(args: readonly string[], directory = process.cwd()): Promise<number> {
  if (args[0] === 'module' && args[1] === 'new') return create(args.slice(2), directory)
  if (args[0] === 'doctor') return examine(args.slice(1), directory)
  if (args[0] === 'contract') return contract(args.slice(1), directory)
  const name = Object.keys(commands).find((command) => `${args.join(' ')} `.startsWith(`${command} `))
  const [host, ...more] = args.slice(name?.split(' ').length)
  if (!name || !host || more.length) {
    process.stderr.write(usage)
    return 2
  }
  return explained(async () => {
    process.stdout.write(commands[name as keyof typeof commands](await loadComposition(host, directory)))
    return 0
  })
}

/** `keel module new`. */
async function create([name, entity, ...more]: readonly string[], directory: string): Promise<number> {
  if (!name || !entity || more.length) {
    process.stderr.write(usage)
    return 2
  }
  return explained(async () => {
    process.stdout.write(writeModule(name, entity, directory))
    return 0
  })
}

/** `keel contract write` and `keel contract diff`: of the latter 1 when something breaks. */
async function contract(
  [command, first, second, ...more]: readonly string[],
  directory: string,
): Promise<number> {
  if (!first || !second || more.length || (command !== 'write' && command !== 'diff')) {
    process.stderr.write(usage)
    return 2
  }
  return explained(async () => {
    if (command === 'write') {
      writeContract(await contractOfHost(first, directory), resolve(directory, second))
      return 0
    }
    const { report, breaks } = compareContracts(resolve(directory, first), resolve(directory, second))
    process.stdout.write(report)
    return breaks ? 1 : 0
  })
}

/** `keel doctor`: 0 when the host would work, 1 when something keeps it from that. */
async function examine([host, ...settings]: readonly string[], directory: string): Promise<number> {
  if (!host || settings.some((setting) => !/^--[^=]+:[^=]+=/.test(setting))) {
    process.stderr.write(usage)
    return 2
  }
  return explained(async () => {
    const { report, isWell } = await diagnose(host, directory, settings)
    process.stdout.write(report)
    return isWell ? 0 : 1
  })
}

async function explained(work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    process.stderr.write(`${error instanceof StartupError ? error.message : (error as Error).stack}\n`)
    return 1
  }
}
