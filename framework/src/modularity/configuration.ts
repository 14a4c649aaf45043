import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { compileNormalizer } from '../contracts/wire.js'
import { environmentOf } from './environment.js'
import { StartupError } from './startup-error.js'

/**
 * A list that was given without members. It is not the same as one that was left out, which has its default.
 */
type EmptyList = readonly []

interface Entry {
  /** As it was written where it came from. */
  readonly key: string
  readonly value: string | EmptyList
  readonly source: string
}

/** One layer of the configuration, e.g. a file or the environment: entries by their keys in lower case. */
interface Layer {
  readonly entries: ReadonlyMap<string, Entry>
  /** The keys, in lower case, that were written as lists and not as members of lists. */
  readonly lists: ReadonlySet<string>
}

/**
 * A part of the configuration with its schema: read with {@link Configuration.read}, checked at the start
 * when a module lists it.
 */
export interface ConfigurationSection<S extends z.ZodRawShape = z.ZodRawShape> {
  readonly path: string
  readonly schema: z.ZodObject<S>
  /** Lists whose members are known by an attribute of theirs: see {@link Configuration.members}. */
  readonly namedBy: Readonly<Record<string, string>>
}

/**
 * Declares a part of the configuration. Members of a list in `namedBy` are merged by that attribute instead of by their position, and may be
 * written as a map.
 * @example const Cors = configurationSection('App', { corsOrigins: z.string().default('') })
 * @example const Shops = configurationSection('Shops', { open: z.array(Shop) }, { namedBy: { open: 'code' } })
 */
export function configurationSection<S extends z.ZodRawShape>(
  path: string,
  shape: S,
  { namedBy }: { readonly namedBy?: { readonly [list in keyof S & string]?: string } } = {},
): ConfigurationSection<S> {
  return { path, schema: z.object(shape), namedBy: { ...namedBy } as Record<string, string> }
}

/** Layered settings: keys are written `A:B:C` and compared without case; a later layer wins. */
export class Configuration {
  private readonly entries = new Map<string, Entry>()
  private readonly layers: Layer[] = []

  /** Development, Staging, Prod or Production. */
  constructor(readonly environment: string = environmentOf({})) {}

  get isDevelopment(): boolean {
    return this.environment.toLowerCase() === 'development'
  }

  /**
   * Adds a layer over the ones before; objects and lists are flattened to keys. A list replaces the members
   * it has, as in ASP.NET Core, and `[]` all of them. `source` tells where the values, or the value of a key,
   * come from.
   */
  add(values: object, source: string | ((key: string) => string)): this {
    const layer = { entries: new Map<string, Entry>(), lists: new Set<string>() }
    for (const [key, value] of flatten(values, layer.lists)) {
      const entry = { key, value, source: typeof source === 'string' ? source : source(key) }
      layer.entries.set(key.toLowerCase(), entry)
      this.put(entry)
    }
    this.layers.push(layer)
    return this
  }

  private put(entry: Entry): void {
    const lower = entry.key.toLowerCase()
    if (typeof entry.value === 'string') this.endEmptyListsAbove(lower)
    else this.forgetBelow(lower)
    this.entries.set(lower, entry)
  }

  private forgetBelow(lower: string): void {
    for (const known of this.entries.keys()) if (known.startsWith(`${lower}:`)) this.entries.delete(known)
  }

  /** A list that got a member is not empty any more. */
  private endEmptyListsAbove(lower: string): void {
    for (let end = lower.lastIndexOf(':'); end > 0; end = lower.lastIndexOf(':', end - 1)) {
      const above = lower.slice(0, end)
      if (typeof this.entries.get(above)?.value === 'object') this.entries.delete(above)
    }
  }

  /** The value of a key, or undefined. Empty text counts as set. */
  get(key: string): string | undefined {
    const value = this.entries.get(key.toLowerCase())?.value
    return typeof value === 'string' ? value : undefined
  }

  /** Which layer a key has its value from. */
  sourceOf(key: string): string | undefined {
    return this.entries.get(key.toLowerCase())?.source
  }

  /**
   * Everything below a path as an object; members that are numbered 0, 1, … become lists. Undefined when
   * nothing is there.
   */
  tree(path: string): unknown {
    const direct = this.entries.get(path.toLowerCase())
    if (direct) return typeof direct.value === 'string' ? direct.value : []
    const prefix = `${path.toLowerCase()}:`
    const names = new Map<string, string>()
    for (const [lower, { key }] of this.entries) {
      if (!lower.startsWith(prefix)) continue
      const name = key.slice(prefix.length).split(':')[0] as string
      if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name)
    }
    if (names.size === 0) return undefined
    const members = [...names.values()].map((name) => [name, this.tree(`${path}:${name}`)] as const)
    const isList = members.every(([name]) => /^\d+$/.test(name))
    return isList
      ? members.sort((a, b) => Number(a[0]) - Number(b[0])).map(([, value]) => value)
      : Object.fromEntries(members)
  }

  /**
   * The members of a list whose objects are known by an attribute. All layers add to one list, whatever the
   * positions of its members there. A layer may be a map of members by their names: `Shops:harbour:Open`. A
   * place without a name stands for the member that another layer has there: `Shops:3:Open`. A list inside a
   * member replaces the whole list of the layers before.
   */
  members(path: string, attribute: string): readonly unknown[] {
    return (this.withMembersByName(path, attribute).tree(path) ?? []) as readonly unknown[]
  }

  /**
   * This configuration with the members of one list at the places 0, 1, …, in the order in which the layers
   * name them.
   */
  private withMembersByName(path: string, attribute: string): Configuration {
    const root = path.toLowerCase()
    const merged = new Configuration(this.environment)
    for (const entry of this.entries.values()) merged.put(entry)
    merged.entries.delete(root)
    merged.forgetBelow(root)
    merged.layers.push(...this.layers)
    const names: string[] = []
    const nameOf = memberNaming(this.layers, `${root}:`, attribute)
    for (const layer of this.layers) {
      if (typeof layer.entries.get(root)?.value === 'object') {
        merged.forgetBelow(root)
        names.length = 0
      }
      const said = new Set<string>()
      for (const place of placesOf(layer, `${root}:`)) {
        const own = layer.entries.get(`${root}:${place}:${attribute}`.toLowerCase())
        const name = nameOf(layer, place, names)
        // Two members of one layer that say the same name stay two: that is a mistake to tell of.
        const isTwice = own !== undefined && said.has(name)
        if (own) said.add(name)
        const at = isTwice || !names.includes(name) ? names.push(name) - 1 : names.indexOf(name)
        const member = `${path}:${at}`
        merged.putMember(layer, `${root}:${place.toLowerCase()}`, member)
        if (!isIndex(place) && merged.get(`${member}:${attribute}`) === undefined)
          merged.put({ key: `${member}:${attribute}`, value: name, source: 'the name of the member' })
      }
    }
    return merged
  }

  /** Puts what a layer has below one key below another one. */
  private putMember({ entries, lists }: Layer, from: string, to: string): void {
    for (const list of lists)
      if (list.startsWith(`${from}:`)) this.forgetBelow((to + list.slice(from.length)).toLowerCase())
    for (const [lower, entry] of entries)
      if (lower.startsWith(`${from}:`)) this.put({ ...entry, key: to + entry.key.slice(from.length) })
  }

  /**
   * A section as its schema promises. Throws a {@link StartupError} that names the key, the layer it came
   * from and the fault.
   */
  read<S extends z.ZodRawShape>(section: ConfigurationSection<S>): z.output<z.ZodObject<S>> {
    const named = Object.entries(section.namedBy)
    const view = named.reduce<Configuration>(
      (all, [list, attribute]) => all.withMembersByName(`${section.path}:${list}`, attribute),
      this,
    )
    const raw = compileNormalizer(section.schema)(view.tree(section.path) ?? {})
    const parsed = section.schema.safeParse(raw)
    if (parsed.success) return parsed.data
    const faults = parsed.error.issues.map((issue) => {
      const key = [section.path, ...issue.path].join(':')
      const source = view.sourceOf(key)
      const [list = '', place] = issue.path.map(String)
      const attribute = section.namedBy[list]
      const name = attribute && view.get([section.path, list, place, attribute].join(':'))
      const shown = name ? [section.path, list, name, ...issue.path.slice(2)].join(':') : key
      return `${shown}: ${issue.message}${source ? ` (from ${source})` : ' (not set)'}`
    })
    throw new StartupError(
      `The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    )
  }
}

const isIndex = (place: string): boolean => /^\d+$/.test(place)

/**
 * The first segments of the keys below a prefix, as they were written: positions of a list, or names of a
 * map.
 */
function placesOf({ entries }: Layer, prefix: string): string[] {
  const places = new Map<string, string>()
  for (const [lower, { key }] of entries) {
    if (!lower.startsWith(prefix)) continue
    const place = key.slice(prefix.length).split(':', 1)[0] as string
    if (!places.has(place.toLowerCase())) places.set(place.toLowerCase(), place)
  }
  return [...places.values()]
}

/**
 * Tells the name of the member at a place of a layer: what the layer says, else the layer before it that
 * names one there, else the first after it. A place of a map that nobody names is the name itself.
 */
function memberNaming(
  layers: readonly Layer[],
  prefix: string,
  attribute: string,
): (layer: Layer, place: string, known: readonly string[]) => string {
  const named = ({ entries }: Layer, place: string): string | undefined => {
    const value = entries.get(`${prefix}${place}:${attribute}`.toLowerCase())?.value
    return typeof value === 'string' ? value : undefined
  }
  return (layer, place, known) => {
    const at = layers.indexOf(layer)
    const nearest = [...layers.slice(0, at + 1).reverse(), ...layers.slice(at + 1)]
    for (const other of nearest) {
      const name = named(other, place)
      if (name !== undefined) return name
    }
    return known.find((name) => name.toLowerCase() === place.toLowerCase()) ?? place
  }
}

function* flatten(value: unknown, lists: Set<string>, path = ''): Generator<[string, string | EmptyList]> {
  if (value === null || value === undefined) return
  if (typeof value !== 'object') {
    yield [path, String(value)]
    return
  }
  if (Array.isArray(value)) lists.add(path.toLowerCase())
  if (Array.isArray(value) && value.length === 0) yield [path, []]
  else
    for (const [key, member] of Object.entries(value))
      yield* flatten(member, lists, path ? `${path}:${key}` : key)
}

/** Where a host's configuration comes from. */
export interface ConfigurationOrigin {
  /** Folder that holds the `appsettings*.json` files. */
  readonly directory: string
  readonly env?: NodeJS.ProcessEnv
  readonly argv?: readonly string[]
}

/**
 * The layers of the interface document: `appsettings.json`, `appsettings.secrets.json`,
 * `appsettings.aspire.json` when `USE_ASPIRE_CONFIG` is true, `appsettings.<Environment>.json`, environment
 * variables (`A__B`), command line (`--A:B=c`).
 */
export function loadConfiguration({
  directory,
  env = process.env,
  argv = process.argv.slice(2),
}: ConfigurationOrigin): Configuration {
  const environment = environmentOf(env)
  const configuration = new Configuration(environment)
  const files = ['appsettings.json', 'appsettings.secrets.json']
  if (env.USE_ASPIRE_CONFIG?.toLowerCase() === 'true') files.push('appsettings.aspire.json')
  files.push(`appsettings.${environment}.json`)
  for (const file of files) addFile(configuration, join(directory, file), file)
  const variables = Object.entries(env).map(([name, value]) => [name.replaceAll('__', ':'), value, name])
  const variableOf = new Map(variables.map(([key, , name]) => [key, name]))
  configuration.add(
    Object.fromEntries(variables),
    (key) => `environment variable ${variableOf.get(key) ?? key}`,
  )
  const line = argv.map((argument) => /^--([^=]+:[^=]+)=(.*)$/s.exec(argument)?.slice(1) ?? [])
  configuration.add(Object.fromEntries(line.filter(({ length }) => length)), 'command line')
  return configuration
}

function addFile(configuration: Configuration, path: string, name: string): void {
  if (!existsSync(path)) return
  try {
    configuration.add(JSON.parse(readFileSync(path, 'utf8')) as object, name)
  } catch (cause) {
    // The parser quotes what stands around the fault, which may be a secret.
    const fault = (cause as Error).message.replace(/, (\.{3})?".*" is not valid JSON$/s, '')
    throw new StartupError(`${path} is not valid JSON: ${fault}`)
  }
}
