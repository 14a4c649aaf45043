import { useTexts } from '../application.js'
import { Dialog } from './dialog.js'
import { changedOf, type Field, Fields, inputOf, wordsOf } from './fields.js'
import { ConflictDialog, FormBody, useForm } from './form.js'
import { useTell } from './notices.js'

/** A thing with the parts that are written together: parties of a shipment, lines of an order, legs of a consol. */
export interface Whole<P> {
  readonly parts: readonly P[]
  readonly stamp: string
}

/** Adds a part of a thing, or changes one: all parts are written again, so that a change by somebody else in between is noticed. */
export function PartDialog<P, V extends object>({
  title,
  draft,
  part,
  whole,
  load,
  isSame,
  valuesOf,
  fields,
  fieldOfCode,
  asInput,
  save,
  onClose,
}: {
  readonly title: string
  readonly draft: string
  /** Undefined for a new one. */
  readonly part: P | undefined
  readonly whole: Whole<P>
  /** Loads the thing as it is now. */
  readonly load: () => Promise<Whole<P>>
  /** True for the same part in another version of the thing. */
  readonly isSame: (one: P, part: P) => boolean
  readonly valuesOf: (part: P | undefined) => V
  readonly fields: readonly Field<V>[]
  readonly fieldOfCode?: Readonly<Record<string, keyof V & string>>
  /** A part as it is written: the values that the form does not have stay. */
  readonly asInput: (part: P) => object
  readonly save: (parts: readonly object[], stamp: string) => Promise<unknown>
  readonly onClose: () => void
}) {
  const t = useTexts()
  const tell = useTell()
  type Values = V & { readonly seenStamp: string }
  const form = useForm<Values>({
    draft,
    initial: { ...valuesOf(part), seenStamp: whole.stamp },
    ...(fieldOfCode && { fieldOfCode }),
    async save({ seenStamp, ...values }) {
      const read = inputOf(values as unknown as V, fields)
      // After a conflict the parts are those of the other version.
      const { parts } = seenStamp === whole.stamp ? whole : await load()
      const place = part === undefined ? -1 : parts.findIndex((one) => isSame(one, part))
      const kept = place < 0 ? undefined : parts[place]
      const written = kept
        ? { ...asInput(kept), ...changedOf(values as unknown as V, valuesOf(kept), read) }
        : read
      const all = parts.map((one, index) => (index === place ? written : asInput(one)))
      await save(place < 0 ? [...all, written] : all, seenStamp)
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  return (
    <Dialog title={title} size="lg" onClose={onClose}>
      <FormBody form={form} onCancel={onClose}>
        <Fields form={form} fields={fields as unknown as readonly Field<Values>[]} />
      </FormBody>
      <ConflictDialog
        form={form}
        loadTheirs={async () => {
          const { parts, stamp } = await load()
          const theirs = part && parts.find((one) => isSame(one, part))
          return { ...(theirs ? valuesOf(theirs) : form.values), seenStamp: stamp } as Values
        }}
        titles={
          Object.fromEntries(fields.map(({ name, title: key }) => [name, t(key)])) as Partial<
            Record<keyof Values & string, string>
          >
        }
        wordsOf={wordsOf(fields, t) as never}
      />
    </Dialog>
  )
}
