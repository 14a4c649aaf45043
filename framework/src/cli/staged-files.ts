import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { StartupError } from '../modularity/startup-error.js'

/**
 * The files that a command adds to a repository and changes there, kept in memory until {@link write}: a
 * command that can't do everything does nothing. Paths are relative to the root of the repository.
 */
export class StagedFiles {
  private readonly staged = new Map<string, string>()

  private constructor(readonly root: string) {}

  /** Of the repository that a folder is in: Keel's, or a solution. Throws `StartupError` when it is in none. */
  static above(directory: string): StagedFiles {
    for (let folder = directory; ; folder = dirname(folder)) {
      if (isRepository(folder)) return new StagedFiles(folder)
      if (folder === parse(folder).root)
        throw new StartupError(
          `${directory} is in no repository with modules/ and a package.json that has "keel": go there first, or make one with \`npm create keel\``,
        )
    }
  }

  /** Of a folder that is to become a solution. */
  static in(directory: string): StagedFiles {
    return new StagedFiles(directory)
  }

  /** The text of a file as it is now; undefined when there is none. */
  find(path: string): string | undefined {
    const file = join(this.root, path)
    return this.staged.get(path) ?? (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
  }

  /** The text of a file that has to be there. */
  read(path: string): string {
    const text = this.find(path)
    if (text === undefined) throw new StartupError(`There is no ${path}`)
    return text
  }

  /** The paths below a folder, in order; none when there is no such folder. */
  list(folder: string): string[] {
    const known = existsSync(join(this.root, folder))
      ? readdirSync(join(this.root, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
          .map((entry) => join(entry.parentPath, entry.name).slice(this.root.length + 1))
      : []
    const added = [...this.staged.keys()].filter((path) => path.startsWith(`${folder}/`))
    return [...new Set([...known, ...added])].sort()
  }

  /** Adds a file. Throws when one is there. */
  create(path: string, text: string): void {
    if (this.find(path) !== undefined)
      throw new StartupError(`${path} exists already: choose another name, nothing was written`)
    this.staged.set(path, text)
  }

  /**
   * Changes a file. Throws when the change finds nothing to change: it knows the shape that these files have
   * here.
   */
  edit(path: string, change: (text: string) => string | undefined): void {
    const text = this.read(path)
    const changed = change(text)
    if (changed === undefined || changed === text)
      throw new StartupError(
        `${path} is not written as expected, nothing was written: see docs/adding-an-entity.md`,
      )
    this.staged.set(path, changed)
  }

  write(): void {
    for (const [path, text] of this.staged) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true })
      writeFileSync(join(this.root, path), text)
    }
  }
}

/** True for a folder with modules whose package.json has the member `keel`. */
function isRepository(folder: string): boolean {
  const manifest = join(folder, 'package.json')
  if (!existsSync(join(folder, 'modules')) || !existsSync(manifest)) return false
  return 'keel' in (JSON.parse(readFileSync(manifest, 'utf8')) as object)
}
