import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TextReference } from '../contracts/index.js'
import { cultureChain, sourceCulture } from './culture.js'
import { lazily } from './lazily.js'
import type { LoadedModule } from './loaded-module.js'
import { StartupError } from './startup-error.js'

/** The texts of one resource in a culture, as ABP's clients read them. */
export interface LocalizationResource {
  readonly name: string
  /**
   * Resources whose texts a client looks into where this one has none; each is a resource of the list itself.
   */
  readonly baseResources: readonly string[]
  /**
   * Texts by key: of the culture, its parents, the default culture and English, but not of the base
   * resources.
   */
  readonly texts: Readonly<Record<string, string>>
}

/** A language that the host has texts in. */
export interface Language {
  /** E.g. `zh-Hans`. */
  readonly cultureName: string
  /** In the language itself, e.g. `Deutsch`. */
  readonly displayName: string
}

/** A resource as its files state it: texts by culture and key. */
interface StatedResource {
  baseResources: readonly string[]
  readonly texts: TextsByCulture
}

/** The texts of a file by key. */
type TextsOfFile = () => Readonly<Record<string, string>>

/** Texts by culture and key, as the files have them: to put all together takes more than the look-ups ever do. */
class TextsByCulture {
  private readonly files = new Map<string, TextsOfFile[]>()

  /** Adds the texts of a file, which go before those that were added earlier. */
  add(culture: string, texts: TextsOfFile): void {
    const files = this.files.get(culture) ?? []
    files.unshift(texts)
    this.files.set(culture, files)
  }

  get cultures(): string[] {
    return [...this.files.keys()]
  }

  has(culture: string): boolean {
    return this.files.has(culture)
  }

  /** A text of a culture alone; undefined where no file of it has one. */
  find(culture: string, key: string): string | undefined {
    for (const texts of this.files.get(culture) ?? []) {
      const found = texts()
      if (Object.hasOwn(found, key)) return found[key]
    }
    return undefined
  }

  /** The texts of a culture alone, by key. */
  all(culture: string): Record<string, string> {
    return Object.assign({}, ...(this.files.get(culture) ?? []).map((texts) => texts()).reverse())
  }
}

/** The resources that a module's resource inherits when its folder has no `resource.json`. */
const inherited = ['AbpUi', 'AbpValidation']

/**
 * The texts of all modules, as named resources. A module's folder holds `<culture>.json` files, whose texts
 * belong to the resource of the module's name, and folders of such files, each a resource of its own name. A
 * `resource.json` may state another `name`, and `baseResources`. A later module adds to the resources of
 * earlier ones, and its texts go before theirs.
 */
export class Localization {
  /** Names of the languages that have texts, English first. */
  readonly cultures: readonly string[]
  private named: readonly Language[] | undefined
  private readonly stated = new Map<string, StatedResource>()
  /** All resources together. */
  private readonly merged = new TextsByCulture()
  /** The texts of each module's folder, those of the framework under {@link shared}. */
  private readonly ofModules = new Map<string, TextsByCulture>()
  private readonly told = new Map<string, readonly LocalizationResource[]>()

  /**
   * @param defaultCulture of texts that a culture lacks and of callers who ask for none
   * (`App:DefaultCulture`)
   * @param readsAll reads the texts of every language now, so that a file that can't be read stops the start; else of the default culture
   * and English, and of others when somebody first asks for them
   */
  constructor(
    modules: readonly LoadedModule[],
    readonly defaultCulture = sourceCulture,
    private readonly readsAll = true,
  ) {
    this.addFolder(new URL('../../localization/', import.meta.url), shared)
    for (const { name, options } of modules)
      if (options.localization) this.addFolder(options.localization, name)
    this.checkBases()
    this.cultures = this.merged.cultures.sort(
      (a, b) => Number(b === sourceCulture) - Number(a === sourceCulture) || a.localeCompare(b),
    )
    if (!this.merged.has(defaultCulture)) {
      throw new StartupError(
        `App:DefaultCulture is ${defaultCulture}: set it to one of ${this.cultures.join(', ')}.`,
      )
    }
  }

  /** Languages that have texts, English first. */
  get languages(): readonly Language[] {
    this.named ??= this.cultures.map((cultureName) => ({ cultureName, displayName: nativeName(cultureName) }))
    return this.named
  }

  /**
   * The text of a key with `{name}` filled from `data`, whichever resource it is of: of the culture, its
   * parents, the default culture, else English; undefined when there is none. What fills it may be a text
   * itself, and a list.
   */
  find(key: string, culture: string, data: Readonly<Record<string, unknown>> = {}): string | undefined {
    const text = this.textIn(this.merged, key, culture)
    return text?.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
      Object.hasOwn(data, name) ? this.wordsOf(data[name], culture) : placeholder,
    )
  }

  private wordsOf(value: unknown, culture: string): string {
    if (Array.isArray(value)) return value.map((item) => this.wordsOf(item, culture)).join(', ')
    return isText(value) ? (this.find(value.key, culture, value.data) ?? value.key) : String(value)
  }

  /**
   * The label of a member of an entity: the text `DisplayName:<Entity>:<Member>`, else `DisplayName:<Member>`
   * of the module that has the entity, else that of the framework. The same key of another module labels
   * something else: Identity's `DisplayName:Name` is the first name of a person. Undefined when there is
   * none.
   */
  label(module: string, entity: string, member: string, culture: string): string | undefined {
    const own = this.textIn(this.merged, `DisplayName:${entity}:${member}`, culture)
    if (own !== undefined) return own
    for (const name of [module, shared]) {
      const text = this.textIn(this.ofModules.get(name), `DisplayName:${member}`, culture)
      if (text !== undefined) return text
    }
    return undefined
  }

  private textIn(texts: TextsByCulture | undefined, key: string, culture: string): string | undefined {
    for (const name of this.chain(culture)) {
      const text = texts?.find(name, key)
      if (text !== undefined) return text
    }
    return undefined
  }

  /** Every resource with its texts in a culture. */
  resources(culture: string): readonly LocalizationResource[] {
    const chain = this.chain(culture)
    const known = chain.filter((name) => this.merged.has(name)).join()
    const told = this.told.get(known) ?? [...this.stated].map(([name, stated]) => tell(name, stated, chain))
    this.told.set(known, told)
    return told
  }

  /** Where a text in `culture` is looked for, in this order. */
  private chain(culture: string): string[] {
    return [...cultureChain(culture), this.defaultCulture, sourceCulture]
  }

  private addFolder(folder: URL, moduleName: string): void {
    const path = fileURLToPath(folder)
    if (!existsSync(path)) throw new StartupError(`The localization folder ${path} does not exist`)
    const ofModule = this.ofModules.get(moduleName) ?? new TextsByCulture()
    this.ofModules.set(moduleName, ofModule)
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) this.addResource(`${path}/${entry.name}`, entry.name, ofModule)
    this.addResource(path, moduleName, ofModule)
  }

  private addResource(path: string, defaultName: string, ofModule: TextsByCulture): void {
    const files = readdirSync(path).filter((name) => name.endsWith('.json'))
    if (!files.length) return
    const stated = files.includes(resourceFile) ? readTexts(`${path}/${resourceFile}`) : {}
    const { name = defaultName, baseResources } = stated as { name?: string; baseResources?: string[] }
    const resource = this.stated.get(name) ?? { baseResources: inherited, texts: new TextsByCulture() }
    this.stated.set(name, resource)
    if (baseResources) resource.baseResources = baseResources
    for (const file of files.filter((other) => other !== resourceFile)) {
      const culture = file.slice(0, -'.json'.length)
      const isFirst = this.readsAll || culture === sourceCulture || culture === this.defaultCulture
      const texts = isFirst ? textsNow(`${path}/${file}`) : textsLater(`${path}/${file}`)
      for (const all of [resource.texts, this.merged, ofModule]) all.add(culture, texts)
    }
  }

  /**
   * Angular is left without any text when a base is no resource of the list (abp-http-contract, section 2.2).
   */
  private checkBases(): void {
    for (const [name, { baseResources }] of this.stated) {
      const missing = baseResources.find((base) => !this.stated.has(base))
      if (missing)
        throw new StartupError(
          `The localization resource ${name} inherits ${missing}, which no module has texts of: add the module, or mend baseResources in its resource.json`,
        )
    }
  }
}

const resourceFile = 'resource.json'
/** The name under which the framework's own folder of texts is added. */
const shared = 'Keel'

interface ReadFile {
  readonly modified: bigint
  readonly texts: Readonly<Record<string, string>>
}

/** Files as they were read, by path: several applications of a process parse the same file once. */
const readFiles = new Map<string, ReadFile>()

function readTexts(path: string): Readonly<Record<string, string>> {
  try {
    const { mtimeNs: modified } = statSync(path, { bigint: true })
    const known = readFiles.get(path)
    if (known?.modified === modified) return known.texts
    const texts = JSON.parse(readFileSync(path, 'utf8'))
    readFiles.set(path, { modified, texts })
    return texts
  } catch (cause) {
    throw new StartupError(`${path} can not be read: ${(cause as Error).message}`, { cause })
  }
}

function textsNow(path: string): TextsOfFile {
  const texts = readTexts(path)
  return () => texts
}

/** Reads a file when its texts are first asked for. A file that can't be read then has none: those of the default culture are shown, and the process warns. */
function textsLater(path: string): TextsOfFile {
  return lazily(() => {
    try {
      return readTexts(path)
    } catch (error) {
      process.emitWarning((error as Error).message)
      return {}
    }
  })
}

function tell(
  name: string,
  { baseResources, texts }: StatedResource,
  chain: readonly string[],
): LocalizationResource {
  const layers = [...chain].reverse().map((culture) => texts.all(culture))
  return { name, baseResources, texts: Object.assign({}, ...layers) }
}

function nativeName(culture: string): string {
  const name = new Intl.DisplayNames([culture], { type: 'language' }).of(culture) ?? culture
  return name.charAt(0).toLocaleUpperCase(culture) + name.slice(1)
}

function isText(value: unknown): value is TextReference {
  return typeof value === 'object' && value !== null && typeof (value as TextReference).key === 'string'
}
