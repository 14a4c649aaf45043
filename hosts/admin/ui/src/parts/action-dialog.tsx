import { type Call, useMutation } from '@keel/react'
import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { type Translate, useTexts } from '../application.js'
import { Dialog } from './dialog.js'
import { type Field, Fields, inputOf } from './fields.js'
import { FormBody, useForm } from './form.js'
import { useTell } from './notices.js'
import { type Comparing, type Stamped, seenState, ThingConflict } from './thing-conflict.js'

/** The values that an action asks for, by name. */
export type ActionValues = Record<string, string | number | null>

/** Something that is done with a thing, beside changing its members. */
export interface ThingAction<T> {
  readonly name: string
  /** The key of its text. */
  readonly title: string
  /** The key of a line that says what it does. */
  readonly hint?: string
  readonly isDangerous?: boolean
  /** True for a usual next step. */
  readonly isNext?: boolean
  /** Whether the state of the thing allows it; the server may still refuse it. */
  readonly isPossible: (thing: T, may: (permission: string) => boolean) => boolean
  readonly permission: string
  // biome-ignore lint/suspicious/noExplicitAny: actions take different inputs
  readonly call: Call<[id: string, input: any], unknown>
  /** What it asks for. */
  readonly fieldsOf?: (thing: T, t: Translate) => readonly Field<ActionValues>[]
  readonly initial?: (thing: T) => ActionValues
}

/** The actions that the state of a thing and the permissions of the caller allow. */
export function possibleActions<T>(
  actions: readonly ThingAction<T>[],
  thing: T,
  may: (permission: string) => boolean,
): readonly ThingAction<T>[] {
  return actions.filter(({ permission, isPossible }) => may(permission) && isPossible(thing, may))
}

/** Asks for what an action needs, and performs it. */
export function ActionDialog<T extends Stamped>({
  action,
  thing,
  name,
  comparing,
  alsoInvalidates,
  onClose,
}: {
  readonly action: ThingAction<T>
  readonly thing: T
  readonly name: string
  /** What a conflict is shown with; a thing without a stamp has none. */
  readonly comparing?: Comparing<T>
  /** Operations of further services whose answers the action touches. */
  readonly alsoInvalidates: readonly Call[]
  readonly onClose: () => void
}) {
  const t = useTexts()
  const tell = useTell()
  const { run } = useMutation(...alsoInvalidates)
  const fields = useMemo(() => action.fieldsOf?.(thing, t) ?? [], [action, thing, t])
  const asked: ActionValues = {
    ...Object.fromEntries(
      fields.map(({ name: field, kind }) => [field, kind === 'pick' || kind === 'enum' ? null : '']),
    ),
    ...action.initial?.(thing),
  }
  const form = useForm<ActionValues>({
    draft: `${action.name}:${thing.id}`,
    initial: { ...asked, ...seenState(thing, comparing?.seenOf) },
    async save(values) {
      const read = inputOf(values, fields)
      const { concurrencyStamp } = read
      const input = {
        ...Object.fromEntries(fields.map((field) => [field.name, read[field.name]])),
        ...(concurrencyStamp && { concurrencyStamp }),
      }
      await run(action.call, thing.id, input)
      tell(t('Ops:Done', { action: t(action.title), name }))
      onClose()
    },
  })
  return (
    <Dialog title={`${t(action.title)}: ${name}`} onClose={onClose}>
      <FormBody form={form} onCancel={onClose} submitText={t(action.title)} isDangerous={action.isDangerous}>
        {action.hint && (
          <Text size="sm" c="dimmed">
            {t(action.hint)}
          </Text>
        )}
        {fields.length > 0 && <Fields form={form} fields={fields} />}
      </FormBody>
      {comparing && <ThingConflict form={form} thing={thing} comparing={comparing} />}
    </Dialog>
  )
}
