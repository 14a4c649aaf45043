import { failedStatement } from '@keel/framework/testing'
import { afterAll } from 'vitest'

/** What vitest knows of a test or a group of tests that has run. */
interface Ran {
  readonly name: string
  readonly result?: { readonly errors?: readonly unknown[] }
  readonly tasks?: readonly Ran[]
}

// Of an error of PostgreSQL vitest prints the message alone: a statement that a test or a hook sent explains itself here. Of one that an operation
// sent the host's log line tells the same.
// biome-ignore lint/correctness/noEmptyPattern: vitest takes nothing but a pattern here
afterAll(({}, file) => {
  for (const line of failuresIn(file as Ran)) console.error(line)
})

function failuresIn({ name, result, tasks = [] }: Ran): string[] {
  const own = (result?.errors ?? []).flatMap((error) => {
    const lines = Object.entries(failedStatement(error) ?? {}).map(
      ([member, value]) => `  ${member}: ${value}`,
    )
    return lines.length ? [[`${name}: the database refused a statement.`, ...lines].join('\n')] : []
  })
  return [...own, ...tasks.flatMap(failuresIn)]
}
