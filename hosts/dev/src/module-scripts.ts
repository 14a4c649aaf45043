import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import type ts from 'typescript'

/**
 * Where the script of a compiled file lies. It is one that Node can compile before its time, with what the module imports left to be given to it;
 * modules are loaded one after the other, and only when they run.
 */
export function scriptFileOf(root: string, file: string): string {
  return join(root, '.keel', 'scripts', `${relative(root, file)}.cjs`)
}

/** Writes the script of a compiled file, if there can be one. Its time of change is that of the file, which tells that it was made of this one. */
export function writeModuleScript(compiler: typeof ts, root: string, file: string): void {
  const { atimeMs, mtimeMs } = statSync(file)
  const target = scriptFileOf(root, file)
  const script = scriptOfModule(compiler, readFileSync(file, 'utf8'))
  if (script === undefined) {
    rmSync(target, { force: true })
    return
  }
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, script)
  utimesSync(target, atimeMs / 1000, mtimeMs / 1000)
}

/** True when a compiled file has a script that was made of it. */
export function hasModuleScript(root: string, file: string): boolean {
  const [own, script] = [file, scriptFileOf(root, file)].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  )
  // Of times that are written a part of a millisecond gets lost.
  return own !== undefined && script !== undefined && Math.abs(own.mtimeMs - script.mtimeMs) < 0.5
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * A module as a script: behind a comment that lists its static imports, each statement on the line that it has in the module. Undefined for a module that
 * exports a variable which may change: scripts pass values on.
 */
export function scriptOfModule(compiler: typeof ts, text: string): string | undefined {
  const { ScriptTarget, ScriptKind, SyntaxKind, NodeFlags } = compiler
  const source = compiler.createSourceFile('module.js', text, ScriptTarget.ES2022, false, ScriptKind.JS)
  const edits: Edit[] = []
  const imports: string[] = []
  const exported: string[] = []
  let exportsVariable = false
  const replace = (start: number, end: number, by: string): void => {
    // No line moves: places in messages are those of the module.
    edits.push({ start, end, text: by + '\n'.repeat(text.slice(start, end).split('\n').length - 1) })
  }
  const nameOf = (specifier: ts.Expression): string => {
    const { text: name } = specifier as ts.StringLiteral
    imports.push(name)
    return JSON.stringify(name)
  }
  const export_ = (name: string, value = name): void => {
    exported.push(`exports[${JSON.stringify(name)}] = ${value};`)
  }
  const namesIn = (name: ts.BindingName): string[] =>
    compiler.isIdentifier(name)
      ? [name.text]
      : name.elements.flatMap((element) =>
          compiler.isOmittedExpression(element) ? [] : namesIn(element.name),
        )

  for (const statement of source.statements) {
    const start = statement.getStart(source)
    const { end } = statement
    if (compiler.isImportDeclaration(statement)) replace(start, end, importText(statement))
    else if (compiler.isExportDeclaration(statement)) replace(start, end, exportText(statement))
    else if (compiler.isExportAssignment(statement))
      replace(start, statement.expression.getStart(source), 'exports.default = ')
    else exportDeclared(statement, start)
  }
  if (/\bimport\s*\(|\bimport\.meta\b/.test(text)) compiler.forEachChild(source, replaceImports)

  if (exportsVariable) return undefined
  let script = text
  for (const { start, end, text: by } of edits.sort((one, other) => other.start - one.start))
    script = script.slice(0, start) + by + script.slice(end)
  return `/*${JSON.stringify(imports)}*/${script}\n${exported.join('')}`

  function importText({ importClause, moduleSpecifier }: ts.ImportDeclaration): string {
    const from = nameOf(moduleSpecifier)
    const bindings = importClause?.namedBindings
    const members = importClause?.name ? [['default', importClause.name.text]] : []
    if (bindings && compiler.isNamedImports(bindings))
      for (const { name, propertyName } of bindings.elements)
        members.push([(propertyName ?? name).text, name.text])
    const taken = members.map(([name = '', local]) => `${JSON.stringify(name)}: ${local}`)
    const named = members.length
      ? `const { ${taken.join(', ')} } = $use(${from}, ${JSON.stringify(members.map(([name]) => name))});`
      : ''
    if (bindings && compiler.isNamespaceImport(bindings))
      return `${named}const ${bindings.name.text} = $use(${from});`
    return named || `$use(${from});`
  }

  function exportText({ exportClause, moduleSpecifier }: ts.ExportDeclaration): string {
    const from = moduleSpecifier && nameOf(moduleSpecifier)
    if (!exportClause) return `$exportAll($use(${from}));`
    if (compiler.isNamespaceExport(exportClause))
      return `exports[${JSON.stringify(exportClause.name.text)}] = $use(${from});`
    const pairs = exportClause.elements.map(
      ({ name, propertyName }) => [name.text, (propertyName ?? name).text] as const,
    )
    if (!from) {
      for (const [name, local] of pairs) export_(name, local)
      return ''
    }
    const moved = pairs.map(([name, local]) => {
      const member = JSON.stringify(local)
      return `exports[${JSON.stringify(name)}] = $use(${from}, [${member}])[${member}];`
    })
    return moved.join('')
  }

  /** Takes `export` from a declaration. */
  function exportDeclared(statement: ts.Statement, start: number): void {
    const modifiers = compiler.canHaveModifiers(statement) ? (compiler.getModifiers(statement) ?? []) : []
    const keyword = modifiers.find(({ kind }) => kind === SyntaxKind.ExportKeyword)
    if (!keyword) return
    const byDefault = modifiers.find(({ kind }) => kind === SyntaxKind.DefaultKeyword)
    const { name } = statement as ts.Statement & { readonly name?: ts.Identifier }
    if (byDefault && !name) {
      replace(start, byDefault.end, 'exports.default =')
      return
    }
    replace(start, (byDefault ?? keyword).end, '')
    if (compiler.isVariableStatement(statement)) {
      exportsVariable ||= (statement.declarationList.flags & NodeFlags.Let) !== 0
      for (const declaration of statement.declarationList.declarations)
        for (const declared of namesIn(declaration.name)) export_(declared)
    } else if (name) export_(byDefault ? 'default' : name.text, name.text)
  }

  /** `import(…)` and `import.meta`, wherever they stand. */
  function replaceImports(node: ts.Node): void {
    if (compiler.isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword)
      replace(node.expression.getStart(source), node.expression.end, '$import')
    if (compiler.isMetaProperty(node)) replace(node.getStart(source), node.end, '$meta')
    else compiler.forEachChild(node, replaceImports)
  }
}

type Exports = Record<string, unknown>
type RunScript = (
  exports: Exports,
  use: (name: string, members?: readonly string[]) => Exports,
  exportAll: (from: Exports) => void,
  importLater: (name: string | URL) => Promise<unknown>,
  meta: Partial<ImportMeta>,
) => Promise<void> | undefined

interface ModuleScript {
  readonly run: RunScript
  readonly imports: readonly string[]
  /** When the compiled file was changed. */
  readonly changedMs: number
}

/** What can run before a program: programs are elsewhere. */
export const libraryFolders: readonly string[] = ['framework', 'modules']

/** True for a file that is one of some places, or in one of them that is a folder. */
export function isInOneOf(file: string, places: readonly string[]): boolean {
  return places.some((place) => file === place || file.startsWith(place + sep))
}

/** What can't run as scripts: a file without one, a circle. The program then runs from its modules. */
class NoScript extends Error {}

/**
 * All modules of a program that belong to the solution, compiled and ready to run, with the libraries that they import. A change of one of them
 * replaces its script alone; then all run.
 */
export class ModuleScripts {
  private readonly scripts = new Map<string, ModuleScript>()
  private readonly loaded = new Map<string, Exports>()
  /** Libraries and modules of Node, by what they are loaded by. */
  private readonly libraries = new Map<string, Exports>()
  private readonly places = new Map<string, string>()
  /** The folders that hold packages of their own, by their place and the package. */
  private readonly folders = new Map<string, string>()

  private constructor(
    private readonly root: string,
    private readonly main: string,
  ) {}

  /**
   * Loads what a program needs, and runs none of its modules.
   * @param root the folder of the solution
   * @param main the program's compiled file
   * @returns undefined for a program without scripts
   */
  static async load(root: string, main: string): Promise<ModuleScripts | undefined> {
    const scripts = new ModuleScripts(root, main)
    return (await scripts.refresh()) ? scripts : undefined
  }

  /**
   * Runs modules of the framework and of the solution's modules before the program does: all that are in none of some places, and that import nothing
   * from there.
   * @param avoided compiled files, and folders of them
   * @returns the files that have run
   */
  runAhead(avoided: readonly string[]): string[] {
    const answers = new Map<string, boolean>()
    const isFree = (file: string): boolean => {
      const known = answers.get(file)
      if (known !== undefined) return known
      const answer = !isInOneOf(file, avoided) && this.ownImportsOf(file).every(isFree)
      answers.set(file, answer)
      return answer
    }
    const libraries = libraryFolders.map((folder) => join(this.root, folder))
    for (const file of this.scripts.keys()) if (isInOneOf(file, libraries) && isFree(file)) this.use(file)
    return [...this.loaded.keys()]
  }

  /** Reads what has changed since. @returns false when the program can't run from scripts */
  async refresh(): Promise<boolean> {
    try {
      for (const [file, { changedMs }] of this.scripts) {
        if (statSync(file, { throwIfNoEntry: false })?.mtimeMs === changedMs) continue
        if (this.loaded.has(file)) throw new NoScript(`${file} has run already`)
        this.scripts.delete(file)
      }
      const libraries = new Set<string>()
      this.visit(this.main, new Set(), new Set(), libraries)
      for (const library of libraries)
        if (!this.libraries.has(library)) this.libraries.set(library, await importOther(library))
      return true
    } catch {
      return false
    }
  }

  /** Runs the program. To be called once, and only when nothing has changed since {@link refresh}. */
  async run(): Promise<void> {
    await this.runScript(this.main, {})
  }

  /** Reads the scripts of a file and of all that it imports. */
  private visit(file: string, done: Set<string>, above: Set<string>, libraries: Set<string>): void {
    if (above.has(file)) throw new NoScript(`${file} imports itself in a circle`)
    if (done.has(file)) return
    done.add(file)
    above.add(file)
    const script = this.scripts.get(file) ?? this.read(file)
    this.scripts.set(file, script)
    for (const name of script.imports) {
      const place = this.placeOf(name, file)
      if (this.isOwn(place)) this.visit(place, done, above, libraries)
      else libraries.add(place)
    }
    above.delete(file)
  }

  /** The files of the solution that a file imports when it runs. */
  private ownImportsOf(file: string): string[] {
    const imports = this.scripts.get(file)?.imports ?? []
    return imports.map((name) => this.placeOf(name, file)).filter((place) => this.isOwn(place))
  }

  private read(file: string): ModuleScript {
    if (!hasModuleScript(this.root, file)) throw new NoScript(`${file} has no script`)
    const text = readFileSync(scriptFileOf(this.root, file), 'utf8')
    const imports = JSON.parse(text.slice('/*'.length, text.indexOf('*/'))) as string[]
    // The program waits for its host; no other module waits while it is loaded.
    const kind = file === this.main ? 'async function' : 'function'
    const script = new Script(`(${kind}(exports,$use,$exportAll,$import,$meta){"use strict";${text}\n})`, {
      filename: file,
    })
    return { run: script.runInThisContext() as RunScript, imports, changedMs: statSync(file).mtimeMs }
  }

  /** Where something is that a file imports: a path for what belongs to the solution, else what `import` takes. */
  private placeOf(name: string, file: string): string {
    if (name.startsWith('.')) return resolve(dirname(file), name)
    if (name.startsWith('node:')) return name
    const folder = this.folderWith(name, dirname(file))
    const key = `${folder} ${name}`
    let place = this.places.get(key)
    if (place === undefined) {
      const url =
        folder === this.root
          ? import.meta.resolve(name)
          : pathToFileURL(createRequire(file).resolve(name)).href
      const path = url.startsWith('file:') ? fileURLToPath(url) : url
      place = this.isOwn(path) ? path : url
      this.places.set(key, place)
    }
    return place
  }

  /** The nearest folder above a file that holds a package; the root's is where all others are. */
  private folderWith(name: string, folder: string): string {
    if (folder === this.root || dirname(folder) === folder) return this.root
    const [scope = '', rest = ''] = name.split('/')
    const packageName = scope.startsWith('@') ? `${scope}/${rest}` : scope
    const key = `${folder} ${packageName}`
    const known = this.folders.get(key)
    if (known !== undefined) return known
    const found = existsSync(join(folder, 'node_modules', packageName))
      ? folder
      : this.folderWith(name, dirname(folder))
    this.folders.set(key, found)
    return found
  }

  private isOwn(place: string): boolean {
    return (
      place.startsWith(this.root + sep) &&
      !place.includes(`${sep}node_modules${sep}`) &&
      place.endsWith('.js')
    )
  }

  private use(place: string): Exports {
    if (!this.isOwn(place)) return this.libraries.get(place) as Exports
    const known = this.loaded.get(place)
    if (known) return known
    const exports: Exports = {}
    this.loaded.set(place, exports)
    void this.runScript(place, exports)
    return exports
  }

  private runScript(file: string, exports: Exports): Promise<void> | undefined {
    const { run } = this.scripts.get(file) ?? this.read(file)
    const url = pathToFileURL(file).href
    const use = (name: string, members: readonly string[] = []): Exports => {
      const used = this.use(this.placeOf(name, file))
      const missing = members.find((member) => !(member in used))
      if (missing !== undefined)
        throw new SyntaxError(`The module '${name}' does not provide an export named '${missing}' (${file})`)
      return used
    }
    const exportAll = (from: Exports): void => {
      for (const name of Object.keys(from)) if (name !== 'default') exports[name] = from[name]
    }
    const importLater = (name: string | URL) => this.importLater(String(name), file)
    const meta = { url, filename: file, dirname: dirname(file), resolve: import.meta.resolve }
    return run(exports, use, exportAll, importLater, meta)
  }

  private async importLater(name: string, file: string): Promise<unknown> {
    const place = name.startsWith('file:') ? fileURLToPath(name) : this.placeOf(name, file)
    if (!this.isOwn(place)) return importOther(place)
    const known = this.loaded.get(place)
    if (known) return known
    const libraries = new Set<string>()
    this.visit(place, new Set(), new Set(), libraries)
    for (const library of libraries)
      if (!this.libraries.has(library)) this.libraries.set(library, await importOther(library))
    return this.use(place)
  }
}

/** What an import gives of something that has no script: a library, a module of Node, a JSON file. */
async function importOther(place: string): Promise<Exports> {
  const path = place.startsWith('file:') ? fileURLToPath(place) : place
  if (path.endsWith('.json')) return { default: JSON.parse(readFileSync(path, 'utf8')) }
  return (await import(path.startsWith(sep) ? pathToFileURL(path).href : place)) as Exports
}
