import { type Call, useEdit, useMutation, useQueryWhen } from '@keel/react'
import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../application.js'
import { Dialog } from './dialog.js'
import { changedOf, type Field, Fields, inputOf, wordsOf } from './fields.js'
import { ConflictDialog, type Form, FormBody, useForm } from './form.js'
import { useTell } from './notices.js'
import { type OwnRow, useOwnFields } from './own-fields.js'
import { ErrorAlert } from './states.js'

/** What an edit dialog does with a row: how it is loaded, shown as values of a form, and saved. */
export interface Editing<T, V extends object> {
  /** Names its drafts, e.g. `scope`. */
  readonly draft: string
  readonly get: Call<[id: string], T>
  /** The values of a row; of a new one without it. */
  readonly valuesOf: (row?: T) => V
  readonly fields: readonly Field<V>[]
  /** Module and entity whose own fields the form has too, e.g. `Hub.Shipment`. */
  readonly ownFields?: string
  /** See {@link useForm}. */
  readonly fieldOfCode?: Readonly<Record<string, keyof V & string>>
  readonly create?: Call<[input: V], unknown>
  readonly update: Call<[id: string, input: V], unknown>
  /** What the two operations take, from the values as {@link inputOf} reads them; by default these. */
  readonly toInput?: (values: V) => object
  /** Sends the members that were changed alone: for operations in which absent members stay. */
  readonly sendsChangesOnly?: boolean
  /** Operations of further services whose answers a change touches. */
  readonly alsoInvalidates?: readonly Call[]
}

/** A row to change, or a new one, in a dialog: errors stand at their fields, and a conflict shows both versions. */
export function EditDialog<T, V extends object>({
  id,
  title,
  editing,
  mayChange = true,
  size = 'lg',
  onClose,
  onSaved,
  children,
}: {
  /** Undefined for a new one. */
  readonly id: string | undefined
  readonly title: string
  readonly editing: Editing<T, V>
  /** False shows the values without a way to change them. */
  readonly mayChange?: boolean
  /** Wider for a form with a sheet. */
  readonly size?: 'lg' | 'xl'
  readonly onClose: () => void
  /** Gets the answer of the operation; by default the dialog says that it was saved. */
  readonly onSaved?: (answer: unknown) => void
  /** Further parts of the form, below its fields. */
  readonly children?: (form: Form<V>) => ReactNode
}) {
  const row = useQueryWhen(id !== undefined, editing.get, id ?? '')
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      {row.error && <ErrorAlert error={row.error} retry={() => void row.refetch()} />}
      {id !== undefined && row.isPending && <Skeleton height={200} />}
      {(id === undefined || row.data) && (
        <fieldset disabled={!mayChange} className="keel-plain">
          <EditForm id={id} row={row.data} {...{ editing, onClose, onSaved, children }} />
        </fieldset>
      )}
    </Dialog>
  )
}

function EditForm<T, V extends object>({
  id,
  row,
  editing,
  onClose,
  onSaved,
  children,
}: {
  readonly id: string | undefined
  readonly row: T | undefined
  readonly editing: Editing<T, V>
  readonly onClose: () => void
  readonly onSaved: ((answer: unknown) => void) | undefined
  readonly children: ((form: Form<V>) => ReactNode) | undefined
}) {
  const t = useTexts()
  const tell = useTell()
  const {
    draft,
    get,
    fieldOfCode,
    create,
    update,
    toInput,
    sendsChangesOnly = false,
    alsoInvalidates = [],
  } = editing
  const { run } = useMutation(...alsoInvalidates)
  const own = useOwnFields(editing.ownFields)
  const fields = [...editing.fields, ...(own.fields as unknown as Field<V>[])]
  const valuesOf = (shown?: T): V => ({
    ...editing.valuesOf(shown),
    ...own.valuesOf(shown as OwnRow | undefined),
  })
  const edit = useEdit(get, update, ...alsoInvalidates)
  const form = useForm<V>({
    draft: `${draft}:${id ?? 'new'}`,
    initial: valuesOf(row),
    ...(fieldOfCode && { fieldOfCode }),
    async save(values) {
      const { extraProperties, ...read } = own.inputOf(sentOf(values))
      const { concurrencyStamp, ...members } = (toInput?.(read as unknown as V) ?? read) as V & {
        concurrencyStamp?: string
      }
      const input = { ...members, ...(extraProperties && { extraProperties }) }
      const answer =
        id === undefined
          ? await run(create as Call<[object], unknown>, input)
          : await edit.save(id, { ...input, ...(concurrencyStamp && { concurrencyStamp }) } as unknown as V)
      if (onSaved) return onSaved(answer)
      tell(t('AbpUi::SavedSuccessfully'))
      onClose()
    },
  })
  /** The members to send. After a conflict the person has chosen all values: then all are sent. */
  function sentOf(values: V): V {
    const read = inputOf(values, fields)
    const before = valuesOf(row) as V & { concurrencyStamp?: string }
    const { concurrencyStamp } = values as V & { concurrencyStamp?: string }
    if (!sendsChangesOnly || !row || concurrencyStamp !== before.concurrencyStamp) return read
    return { ...changedOf(values, before, read), concurrencyStamp } as unknown as V
  }

  return (
    <>
      <FormBody form={form} onCancel={onClose}>
        <Fields form={form} fields={fields} />
        {children?.(form)}
      </FormBody>
      {id !== undefined && (
        <ConflictDialog
          form={form}
          loadTheirs={async () => valuesOf(edit.conflict?.theirs ?? row)}
          titles={
            Object.fromEntries(
              fields.map(({ name, title, label }) => [name, label ?? t(title)] as const),
            ) as Record<keyof V & string, string>
          }
          wordsOf={wordsOf(fields, t)}
        />
      )}
    </>
  )
}
