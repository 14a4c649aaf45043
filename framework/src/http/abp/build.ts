import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from '../../contracts/index.js'
import { type Configuration, configurationSection } from '../../modularity/configuration.js'

/** Version and build of a release, under `App` like the host's other settings. */
export const Build = configurationSection('App', {
  /** By default the version that all packages share. */
  version: z.string().optional(),
  /** `yyyy-MM-dd HH:mm:ss`, UTC. By default when the framework was compiled. */
  buildDate: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'expected yyyy-MM-dd HH:mm:ss')
    .optional(),
  /**
   * Name, logo, colours and the like for the user interface, which gets them as they are. Everybody can read
   * them.
   */
  whiteLabeling: z.record(z.string(), z.unknown()).optional(),
})

/**
 * The extra properties of the application configuration (interface document, "Application-configuration extra
 * properties").
 */
export function extraProperties(configuration: Configuration): Record<string, unknown> {
  const { version, buildDate, whiteLabeling } = configuration.read(Build)
  return {
    AppVersion: version ?? packageVersion(),
    BuildDate: buildDate ?? compiledAt(),
    Environment: configuration.environment,
    WhiteLabeling: whiteLabeling ?? null,
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

function compiledAt(): string {
  return statSync(fileURLToPath(import.meta.url))
    .mtime.toISOString()
    .slice(0, 19)
    .replace('T', ' ')
}
