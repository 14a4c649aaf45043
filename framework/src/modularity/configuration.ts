import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { compileNormalizer } from '../contracts/wire.js'
import { StartupError } from './startup-error.js'

/** A list that was given without members. It is not the same as one that was left out, which has its default. */
type EmptyList = readonly []

interface Entry {
  /** As it was written where it came from. */
  readonly key: string
  readonly value: string | EmptyList
  readonly source: string
}

/** A part of the configuration with its schema: read with {@link Configuration.read}, checked at the start when a module lists it. */
export interface ConfigurationSection<S extends z.ZodRawShape = z.ZodRawShape> {
  readonly path: string
  readonly schema: z.ZodObject<S>
}

/** Declares a part of the configuration. @example const Cors = configurationSection('App', { corsOrigins: z.string().default('') }) */
export function configurationSection<S extends z.ZodRawShape>(
  path: string,
  shape: S,
): ConfigurationSection<S> {
  return { path, schema: z.object(shape) }
}

/** Layered settings: keys are written `A:B:C` and compared without case; a later layer wins. */
export class Configuration {
  private readonly entries = new Map<string, Entry>()

  /** Development, Staging, Prod or Production. */
  constructor(readonly environment: string = 'Development') {}

  get isDevelopment(): boolean {
    return this.environment.toLowerCase() === 'development'
  }

  /**
   * Adds a layer over the ones before; objects and lists are flattened to keys. A list replaces the members it has, as in ASP.NET Core, and
   * `[]` all of them.
   */
  add(values: object, source: string): this {
    for (const [key, value] of flatten(values)) {
      const lower = key.toLowerCase()
      if (typeof value === 'string') this.endEmptyListsAbove(lower)
      else
        for (const known of this.entries.keys()) if (known.startsWith(`${lower}:`)) this.entries.delete(known)
      this.entries.set(lower, { key, value, source })
    }
    return this
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

  /** Everything below a path as an object; members that are numbered 0, 1, … become lists. Undefined when nothing is there. */
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

  /** A section as its schema promises. Throws a {@link StartupError} that names the key, the layer it came from and the fault. */
  read<S extends z.ZodRawShape>(section: ConfigurationSection<S>): z.output<z.ZodObject<S>> {
    const raw = compileNormalizer(section.schema)(this.tree(section.path) ?? {})
    const parsed = section.schema.safeParse(raw)
    if (parsed.success) return parsed.data
    const faults = parsed.error.issues.map((issue) => {
      const key = [section.path, ...issue.path].join(':')
      const source = this.sourceOf(key)
      return `${key}: ${issue.message}${source ? ` (from ${source})` : ' (not set)'}`
    })
    throw new StartupError(
      `The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    )
  }
}

function* flatten(value: unknown, path = ''): Generator<[string, string | EmptyList]> {
  if (value === null || value === undefined) return
  if (typeof value !== 'object') yield [path, String(value)]
  else if (Array.isArray(value) && value.length === 0) yield [path, []]
  else
    for (const [key, member] of Object.entries(value)) yield* flatten(member, path ? `${path}:${key}` : key)
}

/** Where a host's configuration comes from. */
export interface ConfigurationOrigin {
  /** Folder that holds the `appsettings*.json` files. */
  readonly directory: string
  readonly env?: NodeJS.ProcessEnv
  readonly argv?: readonly string[]
}

/**
 * The layers of the interface document: `appsettings.json`, `appsettings.secrets.json`, `appsettings.aspire.json` when
 * `USE_ASPIRE_CONFIG` is true, `appsettings.<Environment>.json`, environment variables (`A__B`), command line (`--A:B=c`).
 */
export function loadConfiguration({
  directory,
  env = process.env,
  argv = process.argv.slice(2),
}: ConfigurationOrigin): Configuration {
  const environment =
    env.KEEL_ENVIRONMENT ?? env.ASPNETCORE_ENVIRONMENT ?? env.DOTNET_ENVIRONMENT ?? 'Development'
  const configuration = new Configuration(environment)
  const files = ['appsettings.json', 'appsettings.secrets.json']
  if (env.USE_ASPIRE_CONFIG?.toLowerCase() === 'true') files.push('appsettings.aspire.json')
  files.push(`appsettings.${environment}.json`)
  for (const file of files) addFile(configuration, join(directory, file), file)
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined)
      configuration.add({ [name.replaceAll('__', ':')]: value }, `environment variable ${name}`)
  }
  for (const argument of argv) {
    const [, key, value] = /^--([^=]+:[^=]+)=(.*)$/s.exec(argument) ?? []
    if (key !== undefined && value !== undefined) configuration.add({ [key]: value }, 'command line')
  }
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
