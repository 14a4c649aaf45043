import type { Call } from '@keel/react'
import { useTexts } from '../application.js'
import { ConflictDialog, type ConflictForm } from './form.js'

/** A thing that is changed by actions. One without a stamp has no conflicts. */
export interface Stamped {
  readonly id: string
  readonly concurrencyStamp?: string
}

/** What is shown of a thing when it was changed meanwhile: the key of a title, and the words. */
export type SeenOf<T> = (thing: T) => Readonly<Record<string, string>>

/** How two versions of a thing are compared: how the stored one is loaded, and what is shown of each. */
export interface Comparing<T> {
  readonly load: Call<[id: string], T>
  readonly seenOf: SeenOf<T>
}

/** What a form about a thing keeps of the version that the person has seen: the words to compare, and the stamp. */
export function seenState<T extends Stamped>(thing: T, seenOf?: SeenOf<T>): Record<string, string> {
  const { concurrencyStamp } = thing
  return { ...seenOf?.(thing), ...(concurrencyStamp !== undefined && { concurrencyStamp }) }
}

/** Shows both versions of a thing that was changed between the moment when the person saw it and the action. */
export function ThingConflict<T extends Stamped, V extends object>({
  form,
  thing,
  comparing: { load, seenOf },
}: {
  /** Its values hold {@link seenState}. */
  readonly form: ConflictForm<V>
  readonly thing: T
  readonly comparing: Comparing<T>
}) {
  const t = useTexts()
  const titles = Object.fromEntries(Object.keys(seenOf(thing)).map((key) => [key, t(key)]))
  return (
    <ConflictDialog
      form={form}
      doing="act"
      loadTheirs={async () => ({ ...form.values, ...seenState(await load(thing.id), seenOf) })}
      titles={titles as Partial<Record<keyof V & string, string>>}
    />
  )
}
