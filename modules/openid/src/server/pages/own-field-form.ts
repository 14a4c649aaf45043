import {
  Application,
  ambient,
  Injectable,
  maySetField,
  newOwnFields,
  ownFieldLabel,
  ownValueLabel,
} from '@keel/framework'
import type { OwnField } from '@keel/framework/contracts'
import { userOwnFields } from '@keel/identity/contracts'
import { Pages } from './pages.js'

/** An own field of users as the template `own-fields.eta` shows it. */
export interface ShownOwnField {
  /** The name of its input, which is that of its member in faults: `extraProperties.Department`. */
  readonly name: string
  readonly label: string
  readonly type: string
  readonly hint?: string | undefined
  /** The attributes of the input, as HTML. */
  readonly attributes: string
  /** The values to choose from, where there are some. */
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly isRequired: boolean
  readonly isFixed: boolean
}

const prefix = 'extraProperties.'
const inputTypes: Readonly<Partial<Record<OwnField['type'], string>>> = {
  integer: 'number',
  decimal: 'number',
  date: 'date',
  instant: 'datetime-local',
}

/**
 * The own fields of users on the pages of accounts. Pages know no permissions: fields that need one to be seen are not on them, and those that need
 * one to be set are shown in the profile alone.
 */
@Injectable()
export class OwnFieldForm {
  constructor(
    private readonly application: Application,
    private readonly pages: Pages,
  ) {}

  /** The fields of a new account. */
  ofNew(): readonly ShownOwnField[] {
    return this.settable().map((field) => this.shown(field))
  }

  /** The fields of the signed-in user's profile. */
  ofProfile(): readonly ShownOwnField[] {
    return this.seen().map((field) => this.shown(field))
  }

  /** The texts of the inputs: as they were typed, else the values of a user, else the defaults of a new one. */
  textsOf(
    typed: URLSearchParams | undefined,
    values?: Readonly<Record<string, unknown>>,
  ): Record<string, string> {
    return Object.fromEntries(
      this.seen().map((field) => {
        const value = values ? values[field.name] : field.default
        return [prefix + field.name, typed?.get(prefix + field.name) ?? writeText(field, value)]
      }),
    )
  }

  /** The values that a form gives, by the names of the fields. An empty text is null; fields that the form lacks are absent. */
  valuesIn(form: URLSearchParams): Record<string, unknown> {
    return Object.fromEntries(
      this.settable().flatMap((field) => {
        const typed = form.get(prefix + field.name)?.trim()
        return typed === undefined ? [] : [[field.name, readText(field, typed)]]
      }),
    )
  }

  /** Refuses the fields of a new account as its creation would. */
  checkNew(form: URLSearchParams): void {
    newOwnFields(this.application.ownFields, userOwnFields, this.valuesIn(form))
  }

  private seen(): readonly OwnField[] {
    const { ownFields } = this.application
    return ownFields.seenBy(ambient().principal, userOwnFields).fields.filter(({ permission }) => !permission)
  }

  private settable(): readonly OwnField[] {
    return this.seen().filter((field) => maySetField(field, ambient().principal))
  }

  private shown(field: OwnField): ShownOwnField {
    const { culture, principal } = ambient()
    const isFixed = !maySetField(field, principal)
    return {
      name: prefix + field.name,
      label: ownFieldLabel(field, culture),
      type: inputTypes[field.type] ?? 'text',
      hint: field.type === 'instant' ? this.pages.text('OwnField:Utc') : undefined,
      attributes: attributesOf(field, isFixed),
      ...this.optionsOf(field, culture),
      isRequired: field.required,
      isFixed,
    }
  }

  private optionsOf(field: OwnField, culture: string): Partial<ShownOwnField> {
    if (field.type === 'boolean')
      return {
        options: [
          { value: 'true', label: this.pages.text('Yes') },
          { value: 'false', label: this.pages.text('No') },
        ],
      }
    if (!field.values) return {}
    const options = Object.entries(field.values).map(([member, value]) => ({
      value: String(value),
      label: ownValueLabel(field, member, culture),
    }))
    return { options }
  }
}

function attributesOf({ type, maxLength, min, max, required }: OwnField, isFixed: boolean): string {
  return [
    type === 'text' ? `maxlength="${maxLength}"` : '',
    type === 'integer' ? 'step="1"' : '',
    type === 'decimal' ? 'step="any"' : '',
    type === 'integer' || type === 'decimal' ? `${bound('min', min)} ${bound('max', max)}` : '',
    required ? 'required' : '',
    isFixed ? 'readonly' : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function bound(name: string, value: number | undefined): string {
  return value === undefined ? '' : `${name}="${value}"`
}

/** The text of a value in its input; empty for a value of a type that the field had before. */
function writeText({ type, values }: OwnField, value: unknown): string {
  if (value === undefined || value === null || typeof value === 'object') return ''
  const text = String(value)
  if (type === 'enumeration') return String(values?.[text] ?? text)
  // The input takes no zone.
  if (type === 'instant') return text.replace(/(\.\d+)?Z$/, '')
  return text
}

/** The value that a text stands for; the text itself where it stands for none, so that the check of the field refuses it. */
function readText({ type }: OwnField, text: string): unknown {
  if (text === '') return null
  if (type === 'integer' || type === 'enumeration') return /^-?\d{1,10}$/.test(text) ? Number(text) : text
  if (type === 'decimal') return text.replace(',', '.')
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'instant') return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text}Z`
  return text
}
