import { resolve } from 'node:path'
import { InputError } from '../modularity/input-error.js'
import { nearestName } from '../modularity/nearest-name.js'
import { StartupError } from '../modularity/startup-error.js'

interface Command {
  /** The words behind its name; as many as these are needed. */
  readonly words: readonly string[]
  /** Words that may follow them. */
  readonly further?: readonly string[]
  /** True when the last word may be given several times. */
  readonly isRepeated?: boolean
  readonly help: string
  /** Further lines of `keel <command> --help`. */
  readonly more: string
  /** True when settings (`--App:SelfUrl=…`) may follow. */
  readonly takesSettings?: boolean
  /** True when `--fields "…"` may follow. */
  readonly takesFields?: boolean
  /** True when `--database <name>` may follow. */
  readonly takesDatabase?: boolean
  /** True when `--yes` may follow. */
  readonly takesYes?: boolean
  /** Gives the exit code; undefined for 0. */
  run(words: readonly string[], directory: string, given: Given): Promise<number | undefined>
}

/** Options of a command line, beside its words. */
interface Given {
  /** `--App:SelfUrl=…` */
  readonly settings: readonly string[]
  /** Of `--fields "…"`. */
  readonly fields: string | undefined
  /** Of `--database <name>`. */
  readonly database: string | undefined
  /** True with `--yes`. */
  readonly isConfirmed: boolean
}

const aboutHost = `<host> is a package or a compiled file that exports the root module, e.g. @keel/api-host. Nothing is started: no port is
opened and no database is asked.`

const aboutChange = `It tells which modules, tables, endpoints, entity sets, permissions, settings, features and events come and go. With --yes the host's module
and package.json are changed. <folder> is that of a host; host and package must be installed and compiled.`

/** Each loads what it needs when it runs: help and a slip of the keyboard are answered at once. */
const commands: Readonly<Record<string, Command>> = {
  routes: {
    words: ['<host>'],
    help: 'every route with its operation and the permission it needs',
    more: `${aboutHost}\n\nexample: keel routes @keel/api-host`,
    run: async ([host = ''], directory) => {
      const { routeTable } = await import('./routes.js')
      return print(routeTable(await composition(host, directory)))
    },
  },
  pipeline: {
    words: [],
    help: 'every step of a request in order, where it stands and what makes it',
    more: `request: before a route is looked for; route: between finding it and calling what answers it; operation: around an operation, called over
HTTP or in the process. What a host has no use for is left out there.

example: keel pipeline`,
    run: async () => print((await import('./pipeline-table.js')).pipelineTable()),
  },
  'module graph': {
    words: ['<host>'],
    help: 'the modules in the order they start, with what each depends on',
    more: `${aboutHost}\n\nexample: keel module graph @keel/api-host`,
    run: async ([host = ''], directory) => {
      const { moduleGraph } = await import('./module-graph.js')
      return print(moduleGraph(await composition(host, directory)))
    },
  },
  'module add': {
    words: ['<folder>', '<package>'],
    help: 'what the module of a package brings to a host; with --yes it is listed there',
    more: `${aboutChange}\n\nexample: keel module add hosts/api @acme/fleet --yes`,
    takesYes: true,
    run: changeOf('add'),
  },
  'module remove': {
    words: ['<folder>', '<package>'],
    help: 'what goes with the module of a package; with --yes the host is without it',
    more: `${aboutChange} Tables and their rows stay.\n\nexample: keel module remove hosts/api @keel/pricing`,
    takesYes: true,
    run: changeOf('remove'),
  },
  'mail preview': {
    words: ['<host>', '<folder>'],
    help: 'writes every mail and text message in every language, with example values, as pages to look at',
    more: `${aboutHost} Settings may follow (--App:WhiteLabeling:AppName=…).\n\nexample: keel mail preview @keel/api-host .keel/mail-preview`,
    takesSettings: true,
    run: async ([host = '', folder = ''], directory, { settings }) => {
      const { writeMailPreview } = await import('./mail-preview.js')
      return print(await writeMailPreview(host, folder, directory, settings))
    },
  },
  'module new': {
    words: ['<name>', '<entity>'],
    help: 'writes a module with its first entity into the repository',
    more: `Both in kebab-case. It tells what to do next. In a solution of one's own --database names a database for the tables of the module; they
are in the Default database without it.

example: keel module new fleet vehicle`,
    takesFields: true,
    takesDatabase: true,
    run: async ([module = '', entity = ''], directory, { fields, database }) => {
      const { writeModule } = await import('./module-new.js')
      return print(writeModule({ module, entity, fields, database }, directory))
    },
  },
  'entity new': {
    words: ['<module>', '<entity>'],
    help: 'writes an entity into a module: contract, table, service, entity set, proxy, texts and a test',
    more: `Both in kebab-case. It tells what to do next, and never overwrites a file.

example: keel entity new hub warehouse --fields "code:string(10)! unique, name:string(100)!, capacity:int, organization:reference(Organization)"`,
    takesFields: true,
    run: async ([module = '', entity = ''], directory, { fields }) => {
      const { writeEntity } = await import('./entity-new.js')
      return print(writeEntity({ module, entity, fields }, directory))
    },
  },
  'host new': {
    words: ['<name>'],
    help: 'writes a host into the repository, for modules to be listed in',
    more: 'In kebab-case. It tells what to do next.\n\nexample: keel host new report',
    run: async ([host = ''], directory) => print((await import('./host-new.js')).writeHost(host, directory)),
  },
  'proxy new': {
    words: ['<package>'],
    further: ['<name>'],
    help: 'writes the typed client of a module of any vendor into a solution: its services and entity sets',
    more: `<package> is installed, or one of the solution, and compiled; its contracts have the services, its module lists the entity sets. <name> is the folder
below proxies, the last part of the package's name without it. It tells what to do next.

example: keel proxy new @north/tolls`,
    run: async ([packageName = '', name], directory) => {
      const { writeProxy } = await import('./proxy-new.js')
      return print(await writeProxy({ packageName, name }, directory))
    },
  },
  bundle: {
    words: ['<folder>'],
    isRepeated: true,
    help: 'writes a program and all that it loads into a few files, which start in less than half the time',
    more: `<folder> is a package whose program is dist/main.js; its bundle is bundle/main.js. Files that a program reads (localization, schema scripts,
pages, settings) and drivers that it may do without stay in the packages. It needs rolldown. Bundles that are as new as their program are left
alone.

example: keel bundle hosts/api hosts/auth migrator`,
    run: async (folders, directory) =>
      print(await (await import('./bundle.js')).writeBundles(folders, directory)),
  },
  'contract write': {
    words: ['<host>', '<file>'],
    help: 'keeps what others rely on: operations, entity sets, permissions, settings, features, events',
    more: `${aboutHost}\n\nexample: keel contract write @keel/api-host contract.json`,
    run: async ([host = '', file = ''], directory) => {
      const { contractOfHost, writeContract } = await import('./contract-files.js')
      writeContract(await contractOfHost(host, directory), resolve(directory, file))
      return undefined
    },
  },
  'contract diff': {
    words: ['<old>', '<new>'],
    help: 'what changed between two such files, whether it breaks anybody, and the version step it asks for',
    more: 'Ends with 1 when something breaks.\n\nexample: keel contract diff released.json contract.json',
    run: async ([old = '', now = ''], directory) => {
      const { compareContracts } = await import('./contract-files.js')
      const { report, breaks } = compareContracts(resolve(directory, old), resolve(directory, now))
      print(report)
      return breaks ? 1 : undefined
    },
  },
  'proxy probe': {
    words: ['<url>'],
    further: ['<package>'],
    help: 'what a deployed host looks like to its clients: answers, version, clock, certificate, contracts',
    more: `The contracts are those of the proxies that are installed here, or of the package. Nothing is changed, and no credentials are needed. Ends with 1
when the host does not answer, or has other contracts than its clients.

example: keel proxy probe https://api.example.com @keel/hub-proxy`,
    run: async ([url = '', proxy], directory) => {
      const { probeDeployment } = await import('./proxy-probe.js')
      const { report, isWell } = await probeDeployment(url, directory, proxy)
      print(report)
      return isWell ? undefined : 1
    },
  },
  doctor: {
    words: ['<host>'],
    help: 'what the host leans on: databases, auth server, addresses; settings may follow (--App:SelfUrl=…)',
    more: `<host> is a package or a compiled file that exports the root module. Nothing is changed. Settings are those that the host would start with;
beside a running \`npm start\` its databases are used (.keel/databases.env) unless others are configured. Ends with 1 when something keeps
the host from working.

example: keel doctor @keel/api-host --App:SelfUrl=https://api.example.com`,
    takesSettings: true,
    run: async ([host = ''], directory, { settings }) => {
      const { diagnose } = await import('./doctor.js')
      const { report, isWell } = await diagnose(host, directory, settings)
      print(report)
      return isWell ? undefined : 1
    },
  },
  'own-fields': {
    words: ['<host>'],
    help: 'builds the indexes of own fields that a host declares, and drops those of fields that are gone; settings may follow',
    more: `<host> is a package or a compiled file that exports the root module. It names all modules that declare own fields. Writers do not wait
meanwhile. Settings and databases are those of keel doctor.

example: keel own-fields @keel/api-host`,
    takesSettings: true,
    run: async ([host = ''], directory, { settings }) => {
      const { bringUpOwnFields } = await import('./own-fields.js')
      print(await bringUpOwnFields(host, directory, settings))
      return undefined
    },
  },
}

function changeOf(action: 'add' | 'remove'): Command['run'] {
  return async ([folder = '', packageName = ''], directory, { isConfirmed }) => {
    const { changeModule } = await import('./module-change.js')
    return print(await changeModule({ action, folder, packageName, isConfirmed }, directory))
  }
}

const composition = async (host: string, directory: string) =>
  (await import('./root-module.js')).loadComposition(host, directory)

/**
 * Runs a command line and gives its exit code: 2 when it was not understood, 1 when the command could not be
 * done (the host can't be composed) or found what it looks for.
 */
export async function run(args: readonly string[], directory = process.cwd()): Promise<number> {
  if (args[0] === 'help') return run([...args.slice(1), '--help'], directory)
  const [name, written] = nameOf(args)
  const asksForHelp = args.some((word) => word === '--help' || word === '-h')
  if (args[0] === '--version' || args[0] === '-v') {
    print(`${(await import('./repository.js')).frameworkVersion()}\n`)
    return 0
  }
  const command = name === undefined ? undefined : commands[name]
  const [fields, others] = command?.takesFields ? takeOption('fields', written) : [undefined, written]
  const [database, rest] = command?.takesDatabase ? takeOption('database', others) : [undefined, others]
  const words = rest.filter((word) => !word.startsWith('-'))
  if (asksForHelp && name && command) {
    print(await helpOf(name, command))
    return 0
  }
  const group = commandsOf(words[0])
  if (asksForHelp && (words.length === 0 || (words.length === 1 && group.length > 0))) {
    print(words[0] === undefined ? usage() : usage(words[0], group))
    return 0
  }
  if (!name || !command) return misunderstood(unknown(words), usage())
  const isConfirmed = Boolean(command.takesYes) && rest.includes('--yes')
  const switches = rest.filter((word) => word.startsWith('-') && !(isConfirmed && word === '--yes'))
  const wrong = switches.find((word) => !command.takesSettings || !/^--[^=]+:[^=]+=/.test(word))
  if (wrong) return misunderstood(`There is no option ${wrong}.`, await helpOf(name, command))
  const most = command.isRepeated
    ? Number.POSITIVE_INFINITY
    : command.words.length + (command.further?.length ?? 0)
  if (words.length < command.words.length || words.length > most) {
    const needed = command.words.slice(words.length)
    const fault = needed.length
      ? `keel ${name} needs ${needed.join(' and ')}.`
      : `There is no use for ${words.slice(most).join(' ')}.`
    return misunderstood(fault, await helpOf(name, command))
  }
  try {
    return (await command.run(words, directory, { settings: switches, fields, database, isConfirmed })) ?? 0
  } catch (error) {
    process.stderr.write(`${error instanceof StartupError ? error.message : (error as Error).stack}\n`)
    return error instanceof InputError ? 2 : 1
  }
}

/** The command that a line begins with, and what follows it. */
function nameOf(args: readonly string[]): [name: string | undefined, rest: readonly string[]] {
  const line = `${args.join(' ')} `
  const name = Object.keys(commands).find((command) => line.startsWith(`${command} `))
  return [name, args.slice(name?.split(' ').length ?? 0)]
}

/** The value of `--name <text>` or `--name=<text>`, undefined without it, and the other words. */
function takeOption(
  name: string,
  args: readonly string[],
): [value: string | undefined, rest: readonly string[]] {
  const at = args.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  if (at < 0) return [undefined, args]
  const word = args[at] ?? ''
  const joined = word.includes('=') ? word.slice(name.length + 3) : undefined
  return [joined ?? args[at + 1] ?? '', args.toSpliced(at, joined === undefined ? 2 : 1)]
}

/** Names of the commands that begin with this word and need a second one: `entity` begins `entity new`. */
function commandsOf(word: string | undefined): readonly string[] {
  return Object.keys(commands).filter((name) => name.startsWith(`${word} `))
}

function unknown(words: readonly string[]): string {
  if (words.length === 0) return 'A command is needed.'
  const typed = [words.slice(0, 2).join(' '), words[0] as string]
  const names = Object.keys(commands)
  const group = commandsOf(words[0])
  if (group.length) return `There is no command ${typed[0]}, only ${new Intl.ListFormat('en').format(group)}.`
  const groups = names.map((name) => name.split(' ')[0] as string)
  const near = typed
    .map((text) => nearestName(text, [...names, ...groups]))
    .find((name) => name !== undefined)
  return `There is no command ${words[0]}.${near ? ` Did you mean ${near}?` : ''}`
}

function misunderstood(fault: string, help: string): number {
  process.stderr.write(`${fault}\n\n${help}`)
  return 2
}

/** Overview of the commands: of these, which begin with a word, or of all. */
function usage(word?: string, names: readonly string[] = Object.keys(commands)): string {
  const rows = names.map((name) => {
    const { help } = commands[name] as Command
    return [['keel', name, ...wordsOf(commands[name] as Command)].join(' '), help]
  })
  const width = Math.max(...rows.map(([call = '']) => call.length))
  return `usage: keel ${word === undefined ? '' : `${word} `}<command>

${rows.map(([call = '', help]) => `  ${call.padEnd(width)}  ${help}`).join('\n')}

  keel <command> --help, keel --version
`
}

const wordsOf = ({ words, further = [], isRepeated }: Command): string[] => [
  ...words,
  ...further.map((word) => `[${word}]`),
  ...(isRepeated ? ['…'] : []),
]

const helpOf = async (name: string, command: Command): Promise<string> => {
  const { help, more, takesSettings, takesFields, takesDatabase, takesYes } = command
  return `usage: keel ${[name, ...wordsOf(command)].join(' ')}${takesSettings ? ' [--Section:Key=value …]' : ''}${takesFields ? ' [--fields "<name>:<type>, …"]' : ''}${takesDatabase ? ' [--database <Name>]' : ''}${takesYes ? ' [--yes]' : ''}

${help}

${takesFields ? `${(await import('./entity-fields.js')).fieldGrammar}\n\n` : ''}${more}
`
}

function print(text: string): undefined {
  process.stdout.write(text)
}
