import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../docs/guides/', import.meta.url))

/**
 * A code block of a guide. What stands behind its language says what a test does with it: `file=` is a whole file of the solution, `merge=`
 * members that are added to a JSON file, `part=` lines of a file, `run` commands for the new solution, `run=compiled` commands for the compiled one.
 */
export interface GuideBlock {
  readonly page: string
  readonly language: string
  readonly use: 'file' | 'merge' | 'part' | 'run' | undefined
  /** The file in the solution; for commands empty, or `compiled`. */
  readonly target: string
  readonly text: string
}

/** The page that lists the guides. */
export const guideIndex = readFileSync(join(folder, 'README.md'), 'utf8')

/** The guides in the order in which they are read. */
export const guidePages = [...guideIndex.matchAll(/^\| \[[^\]]+\]\((\w[\w-]*\.md)\) \|/gm)].map(
  ([, name = '']) => ({ name, text: readFileSync(join(folder, name), 'utf8') }),
)

/** The code blocks of all guides, in their order. A block in a list is indented. */
export const guideBlocks: readonly GuideBlock[] = guidePages.flatMap(({ name, text }) =>
  [...text.matchAll(/^( *)```(\w+)(?: (\w+)(?:=(\S+))?)?\n(.*?)^\1```$/gms)].map(
    ([, indentation = '', language = '', use, target = '', code = '']) => ({
      page: name,
      language,
      use: use as GuideBlock['use'],
      target,
      text: code.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
    }),
  ),
)

/** The commands of the guides for a solution that is new, or compiled. */
export const guideCommands = (state: '' | 'compiled'): string[] =>
  guideBlocks
    .filter(({ use, target }) => use === 'run' && target === state)
    .flatMap(({ text }) => text.trim().split('\n'))

/** Puts the files of the guides into a solution in which their commands were run. */
export function writeGuideFiles(solution: string): void {
  for (const { use, target, text } of guideBlocks) {
    const path = join(solution, target)
    if (use === 'file') {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    } else if (use === 'merge') {
      const members = { ...JSON.parse(readFileSync(path, 'utf8')), ...JSON.parse(text) }
      writeFileSync(path, `${JSON.stringify(members, undefined, 2)}\n`)
    }
  }
}

/** Puts the contract after an upgrade into a solution without one: that of before it. A reader writes both by the same command. */
export function keepContract(solution: string): void {
  copyFileSync(join(solution, 'before.json'), join(solution, 'after.json'))
}
