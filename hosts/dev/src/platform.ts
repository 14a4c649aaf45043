import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type EmbeddedPostgres, ensurePostgres } from '@keel/embedded-postgres'
import { environmentOf, programIn } from '@keel/framework/programs'
import { BroughtUp } from './brought-up.js'
import {
  type Connections,
  configuredConnections,
  connectionVariables,
  missingConnections,
} from './connections.js'
import {
  connectionsFile,
  type Databases,
  hasShipments,
  openDatabases,
  watchServer,
  writeConnections,
} from './databases.js'
import { explainFailure } from './failure.js'
import { choosePort } from './ports.js'
import { ProcessRecord } from './process-record.js'
import { hasProgram, type Solution } from './solution.js'
import { type Program, type Script, Supervisor } from './supervisor.js'
import { seconds, type Terminal } from './terminal.js'
import { packageNameOf, type SourceChange, SourceWatcher, TypeCheck } from './watcher.js'

export interface PlatformOptions {
  solution: Solution
  /** The file of the compiler, for the type check of what changes. */
  compiler: string
  /** The fingerprint of all that the programs are made of; undefined where there is none. */
  sources?: string | undefined
  env: NodeJS.ProcessEnv
  /** Configuration of the form `--A:B=value`, passed on to every process. */
  args: readonly string[]
  terminal: Terminal
  /** Compile what changes, and start the hosts anew that use it. */
  watch?: boolean
}

/** The whole platform on this machine: databases, schemas, seeds, and the hosts as processes of their own. */
export class Platform {
  private readonly root: string
  private readonly directory: string
  private supervisor: Supervisor | undefined
  private record: ProcessRecord | undefined
  private opening: Promise<Databases> | undefined
  private server: EmbeddedPostgres | undefined
  private unwatch: () => Promise<void> = async () => undefined
  private sources: SourceWatcher | undefined
  private readonly typeCheck: TypeCheck
  private isStopping = false
  private end!: (failure?: unknown) => void
  private readonly ended: Promise<void>

  constructor(private readonly options: PlatformOptions) {
    this.root = options.solution.root
    this.directory = join(this.root, '.keel')
    this.typeCheck = new TypeCheck(this.root, options.compiler, (errors) => options.terminal.line(errors))
    this.ended = new Promise((resolve, reject) => {
      this.end = (failure) => (failure === undefined ? resolve() : reject(failure))
    })
    this.ended.catch(() => undefined) // run() hears it
  }

  /** Starts everything and keeps it running until {@link stop} or a failure. The answer is the exit code. */
  async run(): Promise<number> {
    const { terminal } = this.options
    try {
      await Promise.race([this.start(), this.ended])
      await this.ended
      return 0
    } catch (error) {
      terminal.abandonSteps()
      terminal.line()
      for (const line of explainFailure(error, terminal)) terminal.line(line)
      return 1
    } finally {
      await this.shutDown()
    }
  }

  /** Ends {@link run} in order: hosts first, then the database. */
  stop(): void {
    if (this.record) this.options.terminal.line('Stopping. Another Ctrl-C ends everything at once.')
    this.end()
  }

  /** Ends everything without waiting for anybody. */
  async kill(): Promise<void> {
    this.supervisor?.kill()
    await this.server?.stop('at-once')
    this.record?.release()
  }

  private async start(): Promise<void> {
    const { terminal } = this.options
    this.record = await ProcessRecord.claim(this.directory, (name) =>
      terminal.line(`Ending ${name}, left behind by a killed run.`),
    )
    const supervisor = this.createSupervisor(this.record)
    this.supervisor = supervisor
    const addresses = await this.chooseAddresses()
    const broughtUp = this.createBroughtUp(addresses)
    // Programs load while PostgreSQL starts: first those that run first.
    const programs = [...this.schemas, this.migrator]
    const hosts = [...hostNames, ...(this.hasAdmin ? ['admin'] : [])].map((name) => this.host(name))
    for (const program of broughtUp.isLikely ? hosts : programs)
      supervisor.prepare(program, { kind: 'program' })
    const adminUi = this.buildAdminUi(supervisor)
    const { connections } = await this.openDatabases()
    if (this.isStopping) return
    const isUpToDate = await this.isUpToDate(broughtUp, connections)
    if (!isUpToDate) {
      for (const host of hosts) supervisor.prepare(host, { kind: 'program' })
      broughtUp.forget()
      await this.fillDatabases(supervisor, connections, addresses)
      await broughtUp.note(connections)
    }
    await this.startHosts(supervisor, connections, addresses, adminUi)
    if (this.options.watch) await this.watchSources(supervisor)
    // Since the process began: compiling is part of it.
    terminal.line(
      await this.summary(connections, { ...addresses, hasAdmin: await adminUi }, process.uptime() * 1000),
    )
    void this.workBehind(async () => {
      if (isUpToDate) await this.fillBehind(supervisor, connections, addresses, broughtUp)
      if (!this.options.watch) await this.writeBundles(supervisor)
    })
  }

  private createBroughtUp({ api, auth, admin }: Addresses): BroughtUp {
    const { sources, env, args } = this.options
    return new BroughtUp(join(this.directory, 'brought-up.json'), {
      sources,
      env,
      args,
      addresses: { api, auth, admin },
    })
  }

  /** True when schema scripts, migrations and demo data are there already, so that hosts need not wait for the programs that look for more. */
  private async isUpToDate(broughtUp: BroughtUp, connections: Connections): Promise<boolean> {
    if (!(await broughtUp.holds(connections))) return false
    if (this.wantsShipments && !(await hasShipments(connections).catch(() => false))) return false
    this.options.terminal.line('✓ schemas, migrations and seeds: nothing has changed since the last start')
    return true
  }

  /** What nobody waits for; a failure is told, and ends nothing. */
  private async workBehind(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!this.isStopping)
        for (const line of explainFailure(error, this.options.terminal)) this.options.terminal.line(line)
    }
  }

  /**
   * Runs the programs that bring the databases up to date behind a start that had no need of them: seeders put back what was removed since, and
   * what an unseen change asks for is applied all the same, and told.
   */
  private async fillBehind(
    supervisor: Supervisor,
    connections: Connections,
    addresses: Addresses,
    broughtUp: BroughtUp,
  ): Promise<void> {
    await this.runFillers(connections, addresses, (_step, program) =>
      supervisor.run({ ...program, isIdle: true }),
    )
    if (await broughtUp.holds(connections)) return
    this.options.terminal.line(
      'The databases were not up to date: schema scripts or migrations have been applied.',
    )
    await broughtUp.note(connections)
  }

  /** Makes the next start faster, now that nobody waits: each program in a few files. Without rolldown programs stay as they are. */
  private async writeBundles(supervisor: Supervisor): Promise<void> {
    const script = join(this.root, 'node_modules/@keel/framework/bin/keel.js')
    if (![script, join(this.root, 'node_modules/rolldown')].every((path) => existsSync(path))) return
    const folders = bundledFolders.filter((folder) => existsSync(join(this.root, folder, 'dist/main.js')))
    await supervisor.run({ name: 'bundle', script, args: ['bundle', ...folders], isIdle: true })
  }

  /** One change after another; a host that a change broke is reported, and started anew with the next. */
  private async watchSources(supervisor: Supervisor): Promise<void> {
    const { terminal } = this.options
    let work = Promise.resolve()
    this.sources = await SourceWatcher.start(this.root, (change) => {
      work = work
        .then(() => this.reload(supervisor, change))
        .catch((error) => {
          if (!this.isStopping) for (const line of explainFailure(error, terminal)) terminal.line(line)
        })
    })
    void this.prepareFirstRestarts(supervisor)
    terminal.line('✓ watching the sources: hosts that use what changes are started anew')
  }

  /**
   * A change is served sooner where each module has a script: those that are missing are written when nothing else is to be done. Where the first change
   * will be is a guess, so the process that serves for every change comes first.
   */
  private async prepareFirstRestarts(supervisor: Supervisor): Promise<void> {
    await this.workBehind(async () => {
      const programs = hostNames.map((name) => join(this.root, 'hosts', name, 'dist', 'main.js'))
      const script = join(import.meta.dirname, 'write-scripts.js')
      await supervisor.run({ name: 'scripts', script, args: programs, isIdle: true })
    })
    const avoided = this.sources?.nextPlaces() ?? []
    await supervisor.prepareRestarts({ kind: 'libraries' }, { kind: 'ahead', avoided })
  }

  private async reload(
    supervisor: Supervisor,
    { files, outputs, faults, touches }: SourceChange,
  ): Promise<void> {
    const { terminal } = this.options
    this.typeCheck.cancel()
    for (const fault of faults) terminal.line(terminal.paint(fault, '31'))
    if (faults.length || this.isStopping) return
    const what = files.length > 2 ? `${files.length} changed files` : files.join(', ')
    const hosts = hostNames.filter((name) => touches(packageNameOf(join(this.root, 'hosts', name))))
    supervisor.discardStale(outputs)
    const restarted = hosts.map((name) =>
      terminal.step(`${name} host with ${what}`, () => supervisor.restart(name)),
    )
    await Promise.all(restarted)
    const avoided = this.sources?.nextPlaces() ?? []
    void supervisor.prepareRestarts({ kind: 'ahead', avoided }, { kind: 'libraries' })
    this.typeCheck.begin()
  }

  private createSupervisor(record: ProcessRecord): Supervisor {
    const { env, terminal } = this.options
    return new Supervisor({
      directory: this.root,
      env,
      terminal,
      record,
      onFailure: this.options.watch ? this.tellFailure : this.end,
    })
  }

  /** While sources are watched a host that ends waits for its next change. */
  private readonly tellFailure = (error: unknown): void => {
    const { terminal } = this.options
    for (const line of explainFailure(error, terminal)) terminal.line(line)
  }

  private async fillDatabases(
    supervisor: Supervisor,
    connections: Connections,
    addresses: Addresses,
  ): Promise<void> {
    const run = (step: string, program: Program) =>
      this.options.terminal.step(step, () => supervisor.run(program))
    await this.runFillers(connections, addresses, run)
    if (this.wantsShipments && !(await hasShipments(connections))) {
      const demo = this.script('demo', 'hosts/schema/dist/demo.js', ['--shipments', '2000'])
      await run('2,000 demo shipments', { ...demo, env: this.sharedVariables(connections, addresses) })
    }
  }

  /** Runs the programs that apply schema scripts and migrations and seed. */
  private async runFillers(
    connections: Connections,
    addresses: Addresses,
    run: (step: string, program: Program) => Promise<void>,
  ): Promise<void> {
    const shared = this.sharedVariables(connections, addresses)
    const urls = { App__ApiUrl: urlOf(addresses.api), App__AdminUrl: urlOf(addresses.admin) }
    await Promise.all([
      ...this.schemas.map((program) => run('schemas of Hub and Pricing', { ...program, env: shared })),
      run('migrations and seeds', { ...this.migrator, env: { ...shared, ...urls } }),
    ])
  }

  private get hasAdmin(): boolean {
    return hasProgram(this.options.solution, 'hosts/admin')
  }

  private get wantsShipments(): boolean {
    return this.schemas.length > 0 && this.isDevelopment
  }

  /** Builds the admin UI when its sources have changed. False, with the reason in the log, when that fails: everything else works without it. */
  private async buildAdminUi(supervisor: Supervisor): Promise<boolean> {
    if (!this.hasAdmin) return false
    const { terminal } = this.options
    const program = { name: 'admin-ui', script: join(this.root, 'hosts/admin/build.mjs') }
    try {
      await terminal.step('admin UI', () => supervisor.run(program))
      return true
    } catch (error) {
      if (!this.isStopping) for (const line of explainFailure(error, terminal)) terminal.line(line)
      return false
    }
  }

  private async startHosts(
    supervisor: Supervisor,
    connections: Connections,
    addresses: Addresses,
    adminUi: Promise<boolean>,
  ): Promise<void> {
    const { api, auth, admin } = addresses
    const shared = this.sharedVariables(connections, addresses)
    const start = (name: string, port: number, more: Record<string, string>) => {
      const env = { ...shared, ...more, PORT: String(port), App__SelfUrl: urlOf(port) }
      const program = { ...this.host(name), env }
      return this.options.terminal.step(
        `${name} host`,
        () => supervisor.start(program, `${urlOf(port)}/health/ready`),
        () => urlOf(port),
      )
    }
    await Promise.all([
      start('auth', auth, { App__CorsOrigins: `${urlOf(api)},http://localhost:4200` }),
      start('api', api, { App__CorsOrigins: `http://localhost:4200,${urlOf(admin)}` }),
      adminUi.then(async (isBuilt) => {
        if (isBuilt) await start('admin', admin, { App__ApiUrl: urlOf(api) })
      }),
    ])
  }

  /** What every program is told of the others. */
  private sharedVariables(connections: Connections, { auth }: Addresses): Record<string, string> {
    return {
      ...connectionVariables(connections),
      AuthServer__Authority: this.options.env.AuthServer__Authority ?? urlOf(auth),
    }
  }

  /** Brings up the databases of modules, all in one: loading its code takes longer than the scripts. Without such a program the migrator does it. */
  private get schemas(): Script[] {
    if (!hasProgram(this.options.solution, 'hosts/schema')) return []
    return [this.program('schemas', 'hosts/schema')]
  }

  private get migrator(): Script {
    return this.program('migrator', 'migrator')
  }

  private host(name: string): Script {
    return this.program(name, `hosts/${name}`)
  }

  private program(name: string, folder: string): Script {
    const script = relative(this.root, programIn(join(this.root, folder)))
    return { ...this.script(name, script), unbundled: join(this.root, folder, 'dist', 'main.js') }
  }

  private script(name: string, path: string, args: readonly string[] = []): Script {
    return { name, script: join(this.root, path), args: [...args, ...this.options.args] }
  }

  private async summary(
    connections: Connections,
    { api, auth, admin, hasAdmin }: Addresses & { hasAdmin: boolean },
    startedInMs: number,
  ): Promise<string> {
    const { summaryOf } = await import('./summary.js')
    const file = connectionsFile(this.directory)
    writeConnections(file, connections, environmentOf(this.options.env))
    const where = this.server ? `127.0.0.1:${this.server.port} (embedded)` : 'as configured'
    return summaryOf(
      {
        api: urlOf(api),
        auth: urlOf(auth),
        ...(hasAdmin && { admin: urlOf(admin) }),
        databases: `${where}, addresses in ${relative(this.root, file)}`,
        isDevelopment: this.isDevelopment,
        firstCall: this.options.solution.firstCall,
        startedInMs,
      },
      this.options.terminal,
    )
  }

  private get isDevelopment(): boolean {
    return environmentOf(this.options.env).toLowerCase() === 'development'
  }

  private async openDatabases(): Promise<Databases> {
    const { solution, env, args, terminal } = this.options
    const configured = configuredConnections(solution.databases, env, args)
    const names = Object.keys(configured).map((name) => `ConnectionStrings:${name}`)
    if (names.length > 0) terminal.line(`✓ databases: ${names.join(', ')} as configured`)
    if (missingConnections(solution.databases, configured).length === 0) return { connections: configured }
    const said: string[] = []
    const log = (message: string) => said.push(message)
    this.opening = terminal.step(
      'PostgreSQL',
      () => openDatabases({ solution, directory: this.directory, env, args, log }),
      ({ server }) => said.join(', ') || `already running on 127.0.0.1:${server?.port}`,
    )
    const databases = await this.opening
    this.server = databases.server
    await this.watch()
    return databases
  }

  /** A server that was killed is started again: the hosts connect anew by themselves. */
  private async watch(): Promise<void> {
    if (!this.server) return
    const { port } = this.server
    this.unwatch = await watchServer(this.server, () => {
      if (this.isStopping) return
      this.options.terminal.line('PostgreSQL ended unexpectedly.')
      this.opening = this.options.terminal.step('PostgreSQL started again', () => this.reopen(port))
      this.opening.catch(this.end)
    })
  }

  private async reopen(port: number): Promise<Databases> {
    const lost = this.server
    this.server = await ensurePostgres({ directory: this.directory, port })
    await lost?.stop() // only lets go: we use it again already
    if (this.server.port !== port) throw new Error(`its port ${port} is taken, and the hosts know no other`)
    await this.watch()
    return { connections: {}, server: this.server }
  }

  private async chooseAddresses(): Promise<Addresses> {
    const say = (line: string) => this.options.terminal.line(line)
    const api = await choosePort('the API', 4000, defaultPorts, say)
    const auth = await choosePort('the auth server', 4001, [...defaultPorts, api], say)
    const admin = await choosePort('the admin UI', 4002, [...defaultPorts, api, auth], say)
    this.record?.setAddresses({ api: urlOf(api), auth: urlOf(auth), admin: urlOf(admin) })
    return { api, auth, admin }
  }

  private async shutDown(): Promise<void> {
    const { terminal } = this.options
    this.isStopping = true
    this.sources?.stop()
    this.typeCheck.cancel()
    terminal.abandonSteps()
    const began = Date.now()
    if (this.supervisor)
      await terminal.step('hosts stopped', () => this.supervisor?.stop() ?? Promise.resolve())
    await this.opening?.catch(() => undefined)
    await this.unwatch().catch(() => undefined)
    const server = this.server ?? (await this.opening?.catch(() => undefined))?.server
    if (server) {
      await terminal.step(
        'PostgreSQL',
        () => server.stop(),
        (stopped) => (stopped ? 'stopped' : 'another process uses it still'),
      )
    }
    this.record?.release()
    if (this.record) terminal.line(terminal.dim(`Keel ended in ${seconds(Date.now() - began)}.`))
  }
}

/** Of our processes: API, auth server, admin UI, migrator. None of them moves to another's. */
const defaultPorts = [4000, 4001, 4002, 4003]

const hostNames = ['auth', 'api'] as const

/** Programs that load much. */
const bundledFolders = ['hosts/api', 'hosts/auth', 'hosts/admin', 'hosts/schema', 'migrator']

/** The ports that were chosen. */
interface Addresses {
  api: number
  auth: number
  admin: number
}

function urlOf(port: number): string {
  return `http://localhost:${port}`
}
