import { useMemo } from 'react'
import { type Translate, useApplication } from '../application.js'
import { type Field, localTime } from './fields.js'

/** An own field as the application configuration tells it, in ABP's shape. */
interface Property {
  readonly type: string
  readonly typeSimple: string
  readonly displayName: { readonly name: string }
  readonly ui: { readonly onEditForm: { readonly isVisible: boolean } }
  readonly attributes: readonly { readonly typeSimple: string }[]
  readonly defaultValue: unknown
}

interface Extension {
  readonly entities?: Readonly<Record<string, { readonly properties?: Readonly<Record<string, Property>> }>>
}

interface EnumExtension {
  readonly fields: readonly { readonly name: string; readonly value: number; readonly displayName?: string }[]
}

type Values = Record<string, unknown>
/** A row that may have own fields. */
export type OwnRow = { readonly extraProperties?: Readonly<Record<string, unknown>> | null | undefined }

/** The own fields of an entity in a form. Their names begin with a capital letter, and so differ from those of all members. */
export interface OwnForm {
  readonly fields: readonly Field<Values>[]
  /** The values of a row; the defaults of a new one without it. */
  readonly valuesOf: (row?: OwnRow) => Values
  /** The values as an operation takes them: own fields in `extraProperties`, which is absent when there are none. */
  readonly inputOf: <V extends object>(values: V) => V & { extraProperties?: Values }
}

const noValues: OwnForm = { fields: [], valuesOf: () => ({}), inputOf: (values) => values }

/** The own fields that the caller may set, by module and entity, e.g. `Hub.Shipment`. */
export function useOwnFields(entity: string | undefined): OwnForm {
  const { host, t } = useApplication()
  const { objectExtensions } = host
  return useMemo(() => {
    const [module = '', name = ''] = entity?.split('.') ?? []
    const extension = objectExtensions.modules[module] as Extension | undefined
    const properties = Object.entries(extension?.entities?.[name]?.properties ?? {}).filter(
      ([, { ui }]) => ui.onEditForm.isVisible,
    )
    return properties.length ? formOf(properties, objectExtensions.enums as never, t) : noValues
  }, [entity, objectExtensions, t])
}

function formOf(
  properties: readonly (readonly [string, Property])[],
  enums: Readonly<Record<string, EnumExtension>>,
  t: Translate,
): OwnForm {
  const membersOf = ({ type }: Property) => enums[type]?.fields ?? []
  const fields = properties.map(([name, property]): Field<Values> => {
    const { typeSimple, type, displayName, attributes } = property
    const field = {
      name,
      title: name,
      label: displayName.name,
      isRequired: attributes.some((one) => one.typeSimple === 'required'),
    }
    switch (typeSimple) {
      case 'number':
        return { ...field, kind: type === 'System.Decimal' ? 'decimal' : 'number' }
      case 'boolean': {
        const options = [true, false].map((value) => ({
          value: String(value),
          label: t(value ? 'AbpUi::Yes' : 'AbpUi::No'),
        }))
        return { ...field, kind: 'choice', options }
      }
      case 'enum': {
        const options = membersOf(property).map((member) => ({
          value: String(member.value),
          label: member.displayName ?? member.name,
        }))
        return { ...field, kind: 'enum', options }
      }
      case 'date':
        return { ...field, kind: 'date' }
      case 'datetime':
        return { ...field, kind: 'instant' }
      default:
        return field
    }
  })
  const shown = (property: Property, value: unknown): unknown => {
    const { typeSimple, type } = property
    if (typeSimple === 'datetime') return value ? localTime(new Date(String(value))) : ''
    if (typeSimple === 'enum') {
      const member = membersOf(property).find((one) => one.name === value || one.value === value)
      return member?.value ?? null
    }
    if (typeSimple === 'boolean') return value == null ? null : String(value)
    if (typeSimple === 'number') return type === 'System.Decimal' ? String(value ?? '') : (value ?? null)
    return value ?? ''
  }
  const sent = ({ typeSimple, type }: Property, value: unknown): unknown => {
    if (value === '' || value == null) return null
    if (typeSimple === 'boolean') return value === 'true'
    if (typeSimple === 'datetime') return new Date(value as string | Date).toISOString()
    // A point is what the server reads.
    return type === 'System.Decimal' ? String(value).trim().replace(',', '.') : value
  }
  return {
    fields,
    valuesOf: (row) =>
      Object.fromEntries(
        properties.map(([name, property]) => [
          name,
          shown(property, row ? row.extraProperties?.[name] : property.defaultValue),
        ]),
      ),
    inputOf: (values) => {
      const rest: Values = { ...(values as Values) }
      const extraProperties: Values = {}
      for (const [name, property] of properties) {
        if (name in rest) extraProperties[name] = sent(property, rest[name])
        delete rest[name]
      }
      const isGiven = Object.keys(extraProperties).length > 0
      return { ...rest, ...(isGiven && { extraProperties }) } as never
    },
  }
}
