// node write-scripts.js <compiled file>…: writes the scripts of programs, run in the folder of their solution. Files that have a script are left alone.
import { existsSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import compiler from 'typescript'
import { hasModuleScript, writeModuleScript } from './module-scripts.js'
import { importsOf } from './standby-modules.js'

const root = process.cwd()
const files = new Set(process.argv.slice(2))
// A set goes on to what is added to it meanwhile.
for (const file of files) {
  if (!hasModuleScript(root, file)) writeModuleScript(compiler, root, file)
  for (const name of importsOf(file)) {
    const path = placeOf(name, file)
    if (
      path?.startsWith(root + sep) &&
      path.endsWith('.js') &&
      !path.includes(`${sep}node_modules${sep}`) &&
      existsSync(path)
    )
      files.add(path)
  }
}

/** The file that an import leads to; undefined for modules of Node, and for what is no import but part of a text. */
function placeOf(name: string, file: string): string | undefined {
  if (name.startsWith('.')) return resolve(dirname(file), name)
  if (!name.startsWith('@')) return undefined
  try {
    return fileURLToPath(import.meta.resolve(name))
  } catch {
    return undefined
  }
}
