import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import type ts from 'typescript'
import { writeModuleScript } from './module-scripts.js'

/** A package of the repository that programs are made of. */
interface SourcePackage {
  readonly name: string
  readonly folder: string
  /** Packages of the repository that it uses. */
  readonly uses: readonly string[]
}

/** Files that changed together, once they are compiled. */
export interface SourceChange {
  /** From the root of the repository. */
  readonly files: readonly string[]
  /** The compiled files of those that are compiled. */
  readonly outputs: readonly string[]
  /** Faults that keep a file from being compiled, in lines; then nothing was written. */
  readonly faults: readonly string[]
  /** True for packages that use a changed file, themselves or through others. */
  touches(packageName: string): boolean
}

const folders = ['framework', 'modules', 'hosts', 'migrator']
/** Editors write a file in several steps. */
const settleMs = 40

/**
 * Compiles each source file of the repository as it changes, without looking at types, and says what changed.
 * That takes milliseconds, because every file can be compiled by itself (`isolatedModules`).
 */
export class SourceWatcher {
  private readonly changed = new Set<string>()
  private readonly packages: readonly SourcePackage[]
  private timer: NodeJS.Timeout | undefined
  /** Where the last changes were, the last first. */
  private places: readonly string[] = []
  private watchers: { close(): void }[] = []

  private constructor(
    private readonly root: string,
    private readonly compiler: typeof ts,
    private readonly onChange: (change: SourceChange) => void,
  ) {
    this.packages = folders.flatMap((folder) => packagesIn(root, folder))
  }

  static async start(root: string, onChange: (change: SourceChange) => void): Promise<SourceWatcher> {
    const { default: compiler } = await import('typescript')
    const watcher = new SourceWatcher(root, compiler, onChange)
    watcher.watch()
    return watcher
  }

  stop(): void {
    clearTimeout(this.timer)
    for (const watcher of this.watchers) watcher.close()
  }

  private watch(): void {
    for (const { folder } of this.packages) {
      for (const part of ['src', 'localization']) {
        const path = join(folder, part)
        if (existsSync(path))
          this.watchers.push(
            watch(path, { recursive: true }, (_, name) => name && this.note(join(path, name))),
          )
      }
      this.watchers.push(
        watch(
          folder,
          (_, name) => name && /^appsettings.*\.json$/.test(name) && this.note(join(folder, name)),
        ),
      )
    }
  }

  private note(path: string): void {
    if (!/\.(ts|json)$/.test(path) || /\.test\.ts$|\.d\.ts$/.test(path)) return
    this.changed.add(path)
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.compileChanged(), settleMs)
  }

  private compileChanged(): void {
    const paths = [...this.changed]
    this.changed.clear()
    if (paths.length === 0) return
    const outputs = paths.filter((path) => path.endsWith('.ts')).map((path) => this.compile(path))
    const faults = outputs.flatMap((output) => output.faults)
    if (faults.length === 0)
      for (const { path, text } of outputs) {
        if (text === undefined) rmSync(path, { force: true })
        else {
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, text)
          writeModuleScript(this.compiler, this.root, path)
        }
      }
    const owners = this.packages.filter(({ folder }) => paths.some((path) => path.startsWith(`${folder}/`)))
    this.places = [...new Set([...outputs.map(({ path }) => this.placeOf(path)), ...this.places])].slice(0, 4)
    this.onChange({
      files: paths.map((path) => relative(this.root, path)),
      outputs: outputs.map(({ path }) => path),
      faults,
      touches: (name) => owners.some((owner) => this.uses(name, owner.name)),
    })
  }

  /** The folders of compiled files that the next change is probably in: where the last ones were, or before the first where the newest source is. */
  nextPlaces(): readonly string[] {
    if (this.places.length === 0) this.places = this.newestPlaces()
    return this.places
  }

  private newestPlaces(): string[] {
    const sources = this.packages.flatMap(({ folder }) => {
      const source = join(folder, 'src')
      const names = existsSync(source) ? readdirSync(source, { recursive: true, encoding: 'utf8' }) : []
      return names.filter((name) => name.endsWith('.ts')).map((name) => join(source, name))
    })
    const dated = sources.map((path) => ({ path, changedMs: statSync(path).mtimeMs }))
    const [newest] = dated.sort((one, other) => other.changedMs - one.changedMs)
    return newest ? [this.placeOf(this.outputOf(newest.path))] : []
  }

  /** Where else somebody probably works who has changed a compiled file: in its folder, or in the whole of its module, which is small. */
  private placeOf(output: string): string {
    const { folder } = this.packageOf(output)
    return relative(this.root, folder).startsWith(`modules${sep}`) ? folder : dirname(output)
  }

  private packageOf(path: string): SourcePackage {
    return this.packages.find(({ folder }) => path.startsWith(folder + sep)) as SourcePackage
  }

  /** The place that a source has in `dist`. */
  private outputOf(path: string): string {
    const { folder } = this.packageOf(path)
    return join(folder, 'dist', relative(join(folder, 'src'), path)).replace(/\.ts$/, '.js')
  }

  /** A file's program, with the place that it has in `dist`; without a text where the source is gone. */
  private compile(path: string): { path: string; text?: string; faults: readonly string[] } {
    const output = this.outputOf(path)
    if (!existsSync(path)) return { path: output, faults: [] }
    const { outputText, diagnostics = [] } = this.compiler.transpileModule(readFileSync(path, 'utf8'), {
      fileName: path,
      reportDiagnostics: true,
      compilerOptions: this.options,
    })
    const faults = diagnostics.map((diagnostic) => {
      const { line } = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0) ?? { line: 0 }
      const message = this.compiler.flattenDiagnosticMessageText(diagnostic.messageText, ' ')
      return `${relative(this.root, path)}:${line + 1} ${message}`
    })
    return { path: output, text: outputText, faults }
  }

  private get options(): ts.CompilerOptions {
    const file = join(this.root, 'tsconfig.base.json')
    const { compilerOptions } = this.compiler.parseConfigFileTextToJson(
      file,
      readFileSync(file, 'utf8'),
    ).config
    const { options } = this.compiler.convertCompilerOptionsFromJson(
      // Only program files are written here. The compiler, which runs afterwards, writes types and maps.
      {
        ...compilerOptions,
        module: 'esnext',
        moduleResolution: 'bundler',
        composite: false,
        declaration: false,
        incremental: false,
        sourceMap: false,
      },
      this.root,
    )
    return options
  }

  private uses(name: string, other: string, seen = new Set<string>()): boolean {
    if (name === other) return true
    if (seen.has(name)) return false
    seen.add(name)
    const uses = this.packages.find((known) => known.name === name)?.uses ?? []
    return uses.some((used) => this.uses(used, other, seen))
  }
}

function packagesIn(root: string, folder: string): SourcePackage[] {
  const path = join(root, folder)
  if (!existsSync(path)) return []
  const found = existsSync(join(path, 'package.json'))
    ? [path]
    : readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && existsSync(join(path, entry.name, 'package.json')))
        .map((entry) => join(path, entry.name))
  return found.map((each) => {
    const { dependencies = {} } = manifestOf(each)
    return { name: packageNameOf(each), folder: each, uses: Object.keys(dependencies) }
  })
}

/** The name of the package in a folder. */
export function packageNameOf(folder: string): string {
  return manifestOf(folder).name ?? basename(folder)
}

function manifestOf(folder: string): { name?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof manifestOf>
}

/**
 * The type check of all programs, in a process of its own. It writes declarations and no programs: those of a
 * later change may be there already. The next `npm start` writes what is left to write.
 */
export class TypeCheck {
  private running: AbortController | undefined

  /** @param onErrors takes type errors as the compiler prints them; not called when there are none */
  constructor(
    private readonly root: string,
    private readonly compiler: string,
    private readonly onErrors: (errors: string) => void,
  ) {}

  /** Starts the check, in place of one that is under way. */
  begin(): void {
    this.cancel()
    const running = new AbortController()
    this.running = running
    const { root: cwd, compiler } = this
    const projects = programs.filter((program) => existsSync(join(cwd, program)))
    const args = [compiler, '-b', ...projects, '--emitDeclarationOnly']
    const check = execFile(
      process.execPath,
      args,
      { cwd, signal: running.signal },
      (error, stdout, stderr) => {
        if (error && !running.signal.aborted) this.onErrors(`${stdout}${stderr}`.trim())
      },
    )
    // The compiler would take all processors, which the hosts need for the next change.
    if (check.pid !== undefined) setPriority(check.pid, constants.priority.PRIORITY_LOW)
  }

  /** Ends a check that is under way; it reports nothing. */
  cancel(): void {
    this.running?.abort()
  }
}

const programs = ['hosts/dev', 'hosts/api', 'hosts/auth', 'hosts/schema', 'migrator']
