import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of templates, style sheet and script: it stands beside the package's `src` and `dist`. */
export const pageFolder = fileURLToPath(new URL('../../../pages/', import.meta.url))

/** The names of the templates, without their ending. */
export const templates: ReadonlySet<string> = new Set(
  readdirSync(pageFolder)
    .filter((file) => file.endsWith('.eta'))
    .map((file) => file.slice(0, -'.eta'.length)),
)

/** The text of a file that pages use as it is. */
export function readPageFile(name: string): string {
  return readFileSync(pageFolder + name, 'utf8')
}
