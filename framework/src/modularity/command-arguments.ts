import { type ParseArgsConfig, parseArgs } from 'node:util'
import { InputError } from './input-error.js'
import { nearestName } from './nearest-name.js'

/**
 * The options and words of a command line, as `parseArgs` of Node.js gives them. Throws an {@link InputError} that names the first wrong
 * word, followed by the usage.
 * @example
 * const { values } = readArguments({ args: process.argv.slice(2), options: { reset: { type: 'boolean' } } }, usage)
 */
export function readArguments<const T extends ParseArgsConfig>(
  config: T,
  usage: string,
): ReturnType<typeof parseArgs<T>> {
  const fault = faultOf(config)
  if (fault) throw new InputError(`${fault}\n\n${usage}`)
  return parseArgs(config)
}

function faultOf({ args, options = {}, allowPositionals = false }: ParseArgsConfig): string | undefined {
  const lenient = {
    ...(args && { args }),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  } as const
  for (const token of parseArgs(lenient).tokens) {
    if (token.kind === 'positional' && !allowPositionals) return `There is no use for ${token.value}.`
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (!option) {
      const near = nearestName(name, Object.keys(options))
      return `There is no option ${rawName}.${near ? ` Did you mean --${near}?` : ''}`
    }
    if (option.type === 'boolean' && value !== undefined) return `${rawName} takes no value.`
    const isMissing = value === undefined || (!inlineValue && value.startsWith('-'))
    if (option.type === 'string' && isMissing) return `${rawName} needs a value.`
  }
  return undefined
}
