import type { Call } from '@keel/react'
import { type ReactNode, useState } from 'react'
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

/** What the person has seen of a thing, as {@link seenState} keeps it. */
export type Seen = Readonly<Record<string, string>>

/** The stamp of the version that the person has seen, as an input takes it. */
export function stampOf({ concurrencyStamp }: Seen): { readonly concurrencyStamp?: string } {
  return concurrencyStamp === undefined ? {} : { concurrencyStamp }
}

/**
 * Performs actions without a form. One that meets a change of the thing shows both versions, and is performed again
 * when the person decides so.
 * @returns `perform`, and `conflict` to render
 */
export function useThingConflict<T extends Stamped, A>({
  thing,
  comparing,
  isRunning,
  act,
  refuse,
  lookAgain,
}: {
  readonly thing: T
  readonly comparing: Comparing<T>
  readonly isRunning: boolean
  readonly act: (action: A, seen: Seen) => Promise<unknown>
  /** Tells of every refusal that is no conflict. */
  readonly refuse: (refusal: Error) => void
  /** What happens when the person does not carry on; nothing unless given. */
  readonly lookAgain?: () => void
}): { readonly perform: (action: A, seen?: Seen) => Promise<void>; readonly conflict: ReactNode } {
  const [met, meet] = useState<{ readonly action: A; readonly seen: Seen }>()
  const perform = async (action: A, seen: Seen = seenState(thing, comparing.seenOf)) => {
    try {
      await act(action, seen)
      meet(undefined)
    } catch (refusal) {
      const isConflict = (refusal as { readonly status?: number }).status === 409
      meet(isConflict ? { action, seen } : undefined)
      if (!isConflict) refuse(refusal as Error)
    }
  }
  const conflict = met && (
    <ThingConflict
      form={{
        values: met.seen,
        isConflict: true,
        isSaving: isRunning,
        closeConflict: () => meet(undefined),
        reset: lookAgain ?? (() => meet(undefined)),
        submit: (seen = met.seen) => perform(met.action, seen),
      }}
      {...{ thing, comparing }}
    />
  )
  return { perform, conflict }
}
