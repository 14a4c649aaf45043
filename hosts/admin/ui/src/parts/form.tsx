import '@mantine/core/styles/Table.css'
import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { useApplication, useTexts } from '../application.js'
import { Dialog } from './dialog.js'
import { DialogButtons } from './dialog-buttons.js'
import { forgetDraft, readDraft, useKeptDraft } from './drafts.js'
import { useHeldLayer } from './layer.js'
import { ErrorAlert } from './states.js'

/** An error of a proxy. Several proxies bring classes of the same name, so members are compared, not classes. */
interface Refusal {
  readonly name?: string
  readonly message: string
  readonly code?: string
  readonly status?: number
  readonly data?: Readonly<Record<string, unknown>>
  readonly validationErrors?: readonly { readonly message: string; readonly members: readonly string[] }[]
}

/** A form: its values, what is wrong with them, and how to save them. */
export interface Form<V extends object> {
  readonly values: V
  readonly set: <K extends keyof V>(name: K, value: V[K]) => void
  /** What the server said of a field. */
  readonly errorOf: (name: keyof V) => string | undefined
  /** What the server said of a member within a field, by its path, e.g. `breaks.2.amount`. */
  readonly errorAt: (path: string) => string | undefined
  /** What the server said of the whole. */
  readonly error: string | undefined
  readonly isDirty: boolean
  readonly isSaving: boolean
  /** True when the thing was changed by somebody else since it was loaded: {@link ConflictDialog} asks what to do. */
  readonly isConflict: boolean
  readonly closeConflict: () => void
  /** The properties of a text field. */
  readonly text: (name: keyof V) => {
    name: string
    value: string
    error: string | undefined
    onChange: (event: { currentTarget: { value: string } }) => void
  }
  /** The properties of a checkbox or switch. */
  readonly check: (name: keyof V) => {
    name: string
    checked: boolean
    onChange: (event: { currentTarget: { checked: boolean } }) => void
  }
  /** Saves; with values of its own where a conflict was decided. */
  readonly submit: (values?: V) => Promise<void>
  readonly reset: (values: V) => void
  /** Gives up what was entered since it was saved. */
  readonly giveUp: () => void
}

/** The part of a form that a conflict is decided with. */
export type ConflictForm<V extends object> = Pick<
  Form<V>,
  'values' | 'isConflict' | 'isSaving' | 'closeConflict' | 'submit' | 'reset'
>

/**
 * The state of a form. What was typed is kept in the tab until it is saved or given up, so that it outlives a reload and an expired session;
 * passwords and secrets are not kept.
 * @param draft names the draft, e.g. `user:<id>`
 * @param fieldOfCode the field that a business error of the server belongs to, by the end of its code
 */
export function useForm<V extends object>({
  draft,
  initial,
  save,
  fieldOfCode = {},
}: {
  readonly draft: string
  readonly initial: V
  readonly save: (values: V) => Promise<unknown>
  readonly fieldOfCode?: Readonly<Record<string, keyof V & string>>
}): Form<V> {
  const { formatInstant } = useApplication()
  const [values, setValues] = useState<V>(() => ({ ...initial, ...readDraft<V>(draft) }))
  const [base, setBase] = useState(initial)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const [isConflict, setConflict] = useState(false)
  /** True when `save` has said itself what the form shows from now on. */
  const wasReset = useRef(false)
  const latest = useRef(values)
  latest.current = values
  const isDirty = JSON.stringify(values) !== JSON.stringify(base)

  useKeptDraft(draft, isDirty, values)

  const set = useCallback(<K extends keyof V>(name: K, value: V[K]) => {
    setValues((before) => ({ ...before, [name]: value }))
    const before = latest.current[name]
    const isMended = (path: string) => {
      const [field, ...rest] = path.split('.')
      return field === name && (rest.length === 0 || memberAt(before, rest) !== memberAt(value, rest))
    }
    setErrors((all) => Object.fromEntries(Object.entries(all).filter(([path]) => !isMended(path))))
  }, [])

  function reset(next: V): void {
    wasReset.current = true
    setValues(next)
    setBase(next)
    setErrors({})
    setError(undefined)
    setConflict(false)
  }

  return {
    values,
    set,
    errorOf: (name) => errors[String(name)],
    errorAt: (path) => errors[path],
    error,
    isDirty,
    isSaving,
    isConflict,
    closeConflict: () => setConflict(false),
    text: (name) => ({
      name: String(name),
      value: String(values[name] ?? ''),
      error: errors[String(name)],
      onChange: ({ currentTarget }) => set(name, currentTarget.value as V[typeof name]),
    }),
    check: (name) => ({
      name: String(name),
      checked: values[name] === true,
      onChange: ({ currentTarget }) => set(name, currentTarget.checked as V[typeof name]),
    }),
    async submit(decided = values) {
      setSaving(true)
      setErrors({})
      setError(undefined)
      wasReset.current = false
      try {
        await save(decided)
        forgetDraft(draft)
        if (!wasReset.current) setBase(decided)
        setConflict(false)
      } catch (refusal) {
        const told = refusal as Refusal
        const { ofFields, ofAll } = sortFaults(told, Object.keys(decided), fieldOfCode)
        const local = (words: string) =>
          words.replace(instants, (instant) => formatInstant(new Date(instant)))
        setErrors(Object.fromEntries(Object.entries(ofFields).map(([path, words]) => [path, local(words)])))
        setError(ofAll && local(ofAll))
        // The words stay where the form has no other version to show, and when its dialog is closed undecided.
        setConflict(told.status === 409)
      } finally {
        setSaving(false)
      }
    },
    reset,
    giveUp() {
      reset(base)
      // The form may be gone before it notices.
      forgetDraft(draft)
    },
  }
}

/** Points in time as messages of the server tell them: forms take and show those of the browser's zone. */
const instants = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value)
}

/** Which field each fault belongs to; what belongs to none is said above the form. */
function sortFaults(
  refusal: Refusal,
  fields: readonly string[],
  fieldOfCode: Readonly<Record<string, string>>,
): { ofFields: Record<string, string>; ofAll: string | undefined } {
  const ofFields: Record<string, string> = {}
  const ofAll: string[] = []
  const add = (field: string | undefined, message: string) => {
    if (field === undefined || !fields.includes(field)) ofAll.push(message)
    else ofFields[field] = ofFields[field] ? `${ofFields[field]}\n${message}` : message
  }
  if (refusal.validationErrors?.length) {
    for (const { message, members } of refusal.validationErrors) {
      // `password.requiredLength` of an input belongs to the field `requiredLength` of a form with that group alone.
      const path = members[0]?.split(/[.[\]]+/).filter(Boolean) ?? []
      const field = path.find((part) => fields.includes(part))
      const words = members[0] ? message.replace(`${members[0]}: `, '') : message
      add(field, words)
      if (field !== undefined && path.at(-1) !== field)
        ofFields[path.slice(path.indexOf(field)).join('.')] = words
    }
  } else {
    // Several rules at once: a line of the message and a code for each.
    const faults = Array.isArray(refusal.data?.['faults'])
      ? (refusal.data['faults'] as { code?: string }[] | string[])
      : []
    const codes = faults.length
      ? faults.map((fault) => (typeof fault === 'string' ? fault : fault.code))
      : [refusal.code]
    const lines = codes.length > 1 ? refusal.message.split('\n') : [refusal.message]
    const member = codes.length > 1 ? undefined : refusal.data?.['member']
    for (const [index, line] of lines.entries()) {
      const code = codes[index] ?? ''
      const known = Object.keys(fieldOfCode).find((part) => code.split(':').at(-1)?.startsWith(part))
      add(known === undefined ? (member as string | undefined) : fieldOfCode[known], line)
    }
  }
  return { ofFields, ofAll: ofAll.length ? ofAll.join('\n') : undefined }
}

/** The fields of a form, what the server says of the whole, and its buttons. */
export function FormBody<V extends object>({
  form,
  children,
  onCancel,
  submitText,
  isDangerous = false,
}: {
  readonly form: Form<V>
  readonly children: ReactNode
  readonly onCancel?: () => void
  readonly submitText?: string
  /** True when saving takes something away. */
  readonly isDangerous?: boolean | undefined
}) {
  const t = useTexts()
  useHeldLayer(form.isSaving)
  const element = useRef<HTMLFormElement>(null)
  useFocusAfter(form.isSaving, element)
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.submit()
      }}
    >
      <Stack>
        {form.error && (
          <Alert color="red" variant="light" role="alert" style={{ whiteSpace: 'pre-line' }}>
            {form.error}
          </Alert>
        )}
        {children}
        <DialogButtons
          text={submitText ?? t('AbpUi::Save')}
          isDangerous={isDangerous}
          isRunning={form.isSaving}
          onCancel={
            onCancel &&
            (() => {
              form.giveUp()
              onCancel()
            })
          }
        >
          {form.isDirty && (
            <Text size="sm" c="dimmed" me="auto">
              {t('UnsavedChanges')}
            </Text>
          )}
        </DialogButtons>
      </Stack>
    </form>
  )
}

/**
 * Gives the focus, when saving has ended, to the first field that was refused. Without one it goes back to the button, which lost it because it was
 * disabled meanwhile.
 */
function useFocusAfter(isSaving: boolean, form: RefObject<HTMLFormElement | null>): void {
  const wasSaving = useRef(false)
  useEffect(() => {
    const hasEnded = wasSaving.current && !isSaving
    wasSaving.current = isSaving
    if (!hasEnded) return
    const refused = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (refused) {
      // The head of a dialog would cover a field that is only just in sight.
      refused.focus({ preventScroll: true })
      refused.scrollIntoView({ block: 'center' })
    } else if (document.activeElement === document.body)
      form.current?.querySelector<HTMLElement>('[type="submit"]')?.focus()
  }, [isSaving, form])
}

/** The keys of the texts of {@link ConflictDialog}. */
const conflictWords = {
  edit: {
    hint: 'ConflictHint',
    theirs: 'Theirs',
    mine: 'Mine',
    takeTheirs: 'TakeTheirs',
    keepMine: 'KeepMine',
  },
  act: {
    hint: 'ActionConflictHint',
    theirs: 'ItIsNow',
    mine: 'YouSaw',
    takeTheirs: 'LookAgain',
    keepMine: 'CarryOn',
  },
} as const

/** Somebody else saved first: shows both versions of what differs, and lets the person choose. */
export function ConflictDialog<V extends object>({
  form,
  doing = 'edit',
  loadTheirs,
  titles,
  wordsOf,
}: {
  readonly form: ConflictForm<V>
  /** What the person did with the thing. An action keeps no version of theirs: it is done with the stored one, or not. */
  readonly doing?: keyof typeof conflictWords
  /** Loads what is stored now, with the new stamp among its values. */
  readonly loadTheirs: () => Promise<V>
  /** The titles of the fields to compare, by name. */
  readonly titles: Partial<Record<keyof V & string, string>>
  /** What stands for a value that does not tell itself, such as an id. */
  readonly wordsOf?: (name: keyof V & string, value: unknown) => ReactNode
}) {
  const t = useTexts()
  const words = conflictWords[doing]
  const [theirs, setTheirs] = useState<V>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    // After a decision that met another change the stored version is a new one.
    if (form.isSaving) return
    setTheirs(undefined)
    setError(undefined)
    if (form.isConflict) void loadTheirs().then(setTheirs, setError)
  }, [form.isConflict, form.isSaving])
  const names = (Object.keys(titles) as (keyof V & string)[]).filter(
    (name) => theirs && JSON.stringify(theirs[name]) !== JSON.stringify(form.values[name]),
  )
  const keepMine = () => {
    if (!theirs) return
    const fields = Object.keys(titles) as (keyof V & string)[]
    const mine = Object.fromEntries(fields.map((name) => [name, form.values[name]]))
    void form.submit({ ...form.values, ...theirs, ...mine })
  }
  if (!form.isConflict) return null
  return (
    <Dialog title={t('ConflictTitle')} size="lg" isHeld={form.isSaving} onClose={form.closeConflict}>
      <Stack>
        <Text size="sm">{t(words.hint)}</Text>
        {error !== undefined && <ErrorAlert error={error} />}
        {theirs && names.length === 0 ? (
          <Text size="sm">{t('ConflictElsewhere')}</Text>
        ) : (
          <Table withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('Field')}</Table.Th>
                <Table.Th>{t(words.theirs)}</Table.Th>
                <Table.Th>{t(words.mine)}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {names.map((name) => (
                <Table.Tr key={name}>
                  <Table.Th>{titles[name]}</Table.Th>
                  {[theirs?.[name], form.values[name]].map((value, column) => (
                    <Table.Td key={column ? 'mine' : 'theirs'} style={{ whiteSpace: 'pre-line' }}>
                      {wordsOf?.(name, value) || shown(value)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Group justify="flex-end">
          <Button variant="default" disabled={!theirs} onClick={() => theirs && form.reset(theirs)}>
            {t(words.takeTheirs)}
          </Button>
          <Button disabled={!theirs} loading={form.isSaving} onClick={keepMine}>
            {t(words.keepMine)}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )

  function shown(value: unknown): string {
    if (typeof value === 'boolean') return t(value ? 'AbpUi::Yes' : 'AbpUi::No')
    return (Array.isArray(value) ? value.join(', ') : String(value ?? '')) || '–'
  }
}
