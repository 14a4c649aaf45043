import '../styles-of-fields.js'
import { type Call, useQuery } from '@keel/react'
import {
  Alert,
  Autocomplete,
  type AutocompleteProps,
  Checkbox,
  MultiSelect,
  PasswordInput,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ComponentType, type ReactNode, useState } from 'react'
import { type Translate, useTexts } from '../application.js'
import type { Form } from './form.js'

/** A value to choose, and its words. */
export interface Option {
  readonly value: string
  readonly label: string
  /** True for a row that was deactivated: a form shows it where it is the value already, and offers it nowhere. */
  readonly isRetired?: boolean
}

/** The properties of a component that picks the id of a row. */
export interface PickProps {
  readonly label: string
  readonly value: string | null
  readonly onChange: (id: string | null) => void
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
  /** A dialog that opens puts the focus here. */
  readonly isFirst?: boolean
  readonly description?: string | undefined
  /** The id of the row that the rows to pick from belong to, such as the port of terminals; null while none is chosen. */
  readonly within?: string | null
  /** Among the filters of a list: in their line, where it has no label above it, or in the pop-up that holds them. */
  readonly place?: 'line' | 'pop-up'
}

/** An operation that offers rows to pick from, by code and name, and members of its input beside the text to search for. */
export type Lookup = readonly [
  // biome-ignore lint/suspicious/noExplicitAny: inputs of all lookups
  call: Call<[input: any], readonly { code: string; name: string }[]>,
  input?: object,
]

/** A field of a form: which value it holds, what it is called, and how it is entered. */
export interface Field<V extends object> {
  readonly name: keyof V & string
  /** The key of its label. */
  readonly title: string
  /** The label itself, where no text has a key for it. */
  readonly label?: string
  /** The key of a line below the label. */
  readonly hint?: string
  /**
   * Text unless given. `number` holds a number or null, `decimal` the text of a number, `instant` the text of a local time (see {@link localTime}),
   * `date` that of a calendar date, `time` that of hours and minutes, `choice` a text or null, `pick` the id of a row or null, `code` a code that
   * `lookup` offers, `enum` the number of an enumeration, `choices` and `tags` a list of texts, `check` and `switch` a boolean.
   */
  readonly kind?:
    | 'text'
    | 'email'
    | 'url'
    | 'password'
    | 'number'
    | 'area'
    | 'decimal'
    | 'date'
    | 'time'
    | 'instant'
    | 'choice'
    | 'pick'
    | 'code'
    | 'enum'
    | 'choices'
    | 'tags'
    | 'check'
    | 'switch'
  readonly options?: readonly Option[]
  /** Of the kind `pick`: the component that picks. */
  readonly pick?: ComponentType<PickProps>
  /** Of the kind `pick`: the id of the row that the rows to pick from belong to. */
  readonly within?: (values: V) => string | null
  readonly lookup?: Lookup
  readonly isRequired?: boolean
  /** Sent as an empty text when it is empty, instead of null. */
  readonly keepsEmpty?: boolean
  readonly isDisabled?: boolean
  /** False hides it. */
  readonly isShown?: (values: V) => boolean
}

const wide = new Set(['area', 'choices', 'tags', 'switch'])

/** The fields of a form, two beside each other where there is room. */
export function Fields<V extends object>({
  form,
  fields,
}: {
  readonly form: Form<V>
  readonly fields: readonly Field<V>[]
}) {
  const shown = fields.filter(({ isShown }) => isShown?.(form.values) ?? true)
  // What the server says of a field that the other values hide would be seen nowhere.
  const hidden = fields.flatMap((field) => (shown.includes(field) ? [] : (form.errorOf(field.name) ?? [])))
  if (shown.length === 0 && hidden.length === 0) return null
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
      {hidden.length > 0 && (
        <Alert
          color="red"
          variant="light"
          role="alert"
          style={{ gridColumn: '1 / -1', whiteSpace: 'pre-line' }}
        >
          {hidden.join('\n')}
        </Alert>
      )}
      {shown.map((field, index) => (
        <div key={field.name} style={wide.has(field.kind ?? 'text') ? { gridColumn: '1 / -1' } : undefined}>
          <FieldInput form={form} field={field} isFirst={index === 0} />
        </div>
      ))}
    </SimpleGrid>
  )
}

function FieldInput<V extends object>({
  form,
  field,
  isFirst,
}: {
  readonly form: Form<V>
  readonly field: Field<V>
  /** A dialog that opens puts the focus here. */
  readonly isFirst: boolean
}): ReactNode {
  const t = useTexts()
  const { name, kind = 'text', options = [] } = field
  const value = form.values[name] as unknown
  const set = (next: unknown) => form.set(name, next as V[typeof name])
  const common = {
    label: field.label ?? t(field.title),
    description: field.hint && t(field.hint),
    required: field.isRequired ?? false,
    disabled: field.isDisabled ?? false,
    error: form.errorOf(name),
    ...(isFirst && { 'data-autofocus': true }),
  }
  // The hint stands below the field, so that fields beside each other stand on one line.
  const below = { inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input')[] }
  switch (kind) {
    case 'check':
      return <Checkbox {...common} {...form.check(name)} />
    case 'switch':
      return <Switch {...common} {...form.check(name)} />
    case 'password':
      return (
        <PasswordInput
          {...below}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('ShowPassword') }}
          {...common}
          {...form.text(name)}
        />
      )
    case 'area':
      return <Textarea {...below} autosize minRows={2} maxRows={8} {...common} {...form.text(name)} />
    case 'number':
      return <NumberText {...below} {...common} name={name} value={value} onChange={set} />
    case 'choice':
    case 'enum':
      return (
        <Select
          {...below}
          data={options.filter((one) => !one.isRetired || one.value === value)}
          searchable={options.length > 8}
          clearable={!common.required}
          allowDeselect={!common.required}
          value={value === null || value === undefined ? null : String(value)}
          onChange={(next) => set(next !== null && kind === 'enum' ? Number(next) : next)}
          {...common}
        />
      )
    case 'pick': {
      const Pick = field.pick
      return (
        Pick && (
          <Pick
            label={common.label}
            description={common.description || undefined}
            isRequired={common.required}
            isDisabled={common.disabled}
            error={common.error}
            value={(value as string | null | undefined) || null}
            onChange={set}
            isFirst={isFirst}
            {...(field.within && { within: field.within(form.values) })}
          />
        )
      )
    }
    case 'code':
      return (
        <CodeInput
          {...below}
          {...common}
          name={name}
          lookup={field.lookup as Lookup}
          value={String(value ?? '')}
          onChange={set}
        />
      )
    case 'choices':
      return (
        <MultiSelect
          {...below}
          data={[...options]}
          searchable
          hidePickedOptions
          value={value as string[]}
          onChange={set}
          {...common}
        />
      )
    case 'tags':
      return <TagsInput {...below} value={value as string[]} onChange={set} acceptValueOnBlur {...common} />
    default:
      return (
        <TextInput
          {...below}
          type={kind === 'instant' ? 'datetime-local' : kind}
          autoComplete="off"
          {...(kind === 'decimal' && { type: 'text', inputMode: 'decimal' as const })}
          {...common}
          {...form.text(name)}
        />
      )
  }
}

/**
 * A number with a point or a comma, whatever the language of the browser is: its own field of numbers drops the one that it does not expect.
 * What is no number is sent as it is, for the server to refuse.
 */
function NumberText({
  value,
  onChange,
  ...field
}: {
  readonly name: string
  readonly value: unknown
  readonly onChange: (value: number | string | null) => void
} & Omit<TextInputProps, 'value' | 'onChange'>) {
  const [typed, type] = useState('')
  // `1.` and `1` are the same number: what was typed is shown as long as it means the value.
  const shown = numberOf(typed) === (value ?? null) ? typed : String(value ?? '')
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      {...field}
      value={shown}
      onChange={({ currentTarget }) => {
        type(currentTarget.value)
        onChange(numberOf(currentTarget.value))
      }}
    />
  )
}

function numberOf(text: string): number | string | null {
  if (text.trim() === '') return null
  const number = Number(withPoint(text))
  return Number.isFinite(number) ? number : text
}

/** A decimal number as the server reads it. */
const withPoint = (text: string): string => text.trim().replace(',', '.')

/** Shows values of fields that do not tell themselves, for {@link ConflictDialog}: the words of an option, the row of an id. */
export function wordsOf<V extends object>(
  fields: readonly Field<V>[],
  t: Translate,
): (name: keyof V & string, value: unknown) => ReactNode {
  return (name, value) => {
    const field = fields.find((one) => one.name === name)
    const Pick = field?.pick
    if (Pick && value)
      return (
        <Pick
          label={field.label ?? t(field.title)}
          value={String(value)}
          onChange={() => undefined}
          isDisabled
        />
      )
    return field?.options?.find((option) => option.value === String(value))?.label
  }
}

/** A code: typed, or picked from what the server offers for the text so far. */
export function CodeInput({
  lookup,
  value,
  onChange,
  ...field
}: {
  readonly name: string
  readonly label: string
  readonly lookup: Lookup
  readonly value: string
  readonly onChange: (code: string) => void
} & Omit<AutocompleteProps, 'value' | 'onChange' | 'data'>) {
  const [filter] = useDebouncedValue(value, 250)
  const [call, input] = lookup
  const { data = [] } = useQuery(call, { ...input, filter: filter || undefined })
  const names = new Map(data.map(({ code, name }) => [code, name]))
  return (
    <Autocomplete
      autoComplete="off"
      {...field}
      data={[...names.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => `${option.value} · ${names.get(option.value) ?? ''}`}
      value={value}
      onChange={onChange}
    />
  )
}

/** The options of an enumeration; `key` is that of its texts, e.g. `Hub::Enum:AccessScope`. */
export function enumOptions(
  t: Translate,
  key: string,
  enumeration: Readonly<Record<string, string | number>>,
): readonly Option[] {
  return Object.values(enumeration)
    .filter((value) => typeof value === 'number')
    .map((value) => ({ value: String(value), label: t(`${key}.${value}`) }))
}

/** A point in time as a field of the kind `instant` holds it: in the zone of the browser, to the minute; empty for none. */
export function localTime(instant: Date | null | undefined): string {
  if (!instant) return ''
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** The calendar date of today in the zone of the browser. */
export function today(): string {
  return localTime(new Date()).slice(0, 10)
}

/** The point in time of {@link localTime}; null for an empty text. */
export function instantOf(local: string): Date | null {
  return local ? new Date(local) : null
}

/** The values of a form as an operation takes them: instants as such, and null for what is left empty and not required. */
export function inputOf<V extends object>(values: V, fields: readonly Field<V>[]): V {
  const read = ({ name, kind, isRequired, keepsEmpty }: Field<V>): unknown => {
    const value = values[name] as unknown
    if (kind === 'instant') return instantOf(String(value ?? ''))
    if (kind === 'decimal' && value) return withPoint(String(value))
    return value === '' && !isRequired && !keepsEmpty ? null : value
  }
  return { ...values, ...Object.fromEntries(fields.map((field) => [field.name, read(field)])) }
}

/** The members of `read` whose values in the form differ: an instant that was not touched keeps its seconds. */
export function changedOf<V extends object>(values: V, before: V, read: V): Partial<V> {
  const isChanged = ([name]: [string, unknown]) =>
    JSON.stringify(values[name as keyof V]) !== JSON.stringify(before[name as keyof V])
  return Object.fromEntries(Object.entries(read).filter(isChanged)) as Partial<V>
}
