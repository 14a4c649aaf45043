import { readFileSync } from 'node:fs'
import type { Configuration } from './configuration.js'
import { StartupError } from './startup-error.js'

/**
 * Loads a library that a host needs only with a certain setting: an optional peer dependency of this package, which a host that uses it
 * installs. Throws a {@link StartupError} with the setting and the command when it is not installed. Called before services are made, so
 * that such a host does not start.
 * @param setting the key that asks for the library
 * @param packages every package that `load` imports
 * @example const { createClient } = await loadDriver(configuration, 'Redis:IsEnabled', ['@redis/client'], () => import('@redis/client'))
 */
export async function loadDriver<T>(
  configuration: Configuration,
  setting: string,
  packages: readonly string[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, packages)) throw error
    const source = configuration.sourceOf(setting)
    const names = packages.map((name) => `"${name}@${rangeOf(name)}"`).join(' ')
    throw new StartupError(
      `${setting} is set${source === undefined ? '' : ` (from ${source})`}, but ${packages.join(', ')} ${packages.length > 1 ? 'are' : 'is'} not installed.\n` +
        `  Install with: npm install ${names}\n  Or remove the setting.`,
      { cause: error },
    )
  }
}

/** True when an import failed because one of these packages is missing, not one of their own dependencies. */
function isMissing(error: unknown, packages: readonly string[]): boolean {
  const { code, message = '' } = error as NodeJS.ErrnoException
  // The second one in a bundle, where an import is a call of `require`.
  const isNotFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  return isNotFound && packages.some((name) => message.includes(`'${name}'`))
}

/** The versions of a driver that this package works with. */
function rangeOf(name: string): string {
  const { peerDependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { peerDependencies: Readonly<Record<string, string>> }
  return peerDependencies[name] ?? 'latest'
}
