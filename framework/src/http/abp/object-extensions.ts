import type { OwnField, OwnFieldType } from '../../contracts/index.js'
import { maySetField, type OwnFields, ownFieldLabel, ownValueLabel } from '../../modularity/own-fields.js'
import type { Principal } from '../../modularity/principal.js'

/** The types as ABP's clients know them: .NET's, and that of the control in a form. */
const types: Readonly<Record<OwnFieldType, readonly [type: string, typeSimple: string]>> = {
  text: ['System.String', 'string'],
  integer: ['System.Int32', 'number'],
  decimal: ['System.Decimal', 'number'],
  boolean: ['System.Boolean', 'boolean'],
  date: ['System.DateOnly', 'date'],
  instant: ['System.DateTime', 'datetime'],
  enumeration: ['', 'enum'],
  guid: ['System.Guid', 'string'],
}

interface ModuleExtension {
  readonly entities: Record<string, object>
  readonly configuration: object
}

/** The own fields that a caller may see, as the forms and tables of ABP's clients expect them. @see abp-http-contract section 2.4 */
export function objectExtensions(
  ownFields: OwnFields,
  principal: Principal,
  culture: string,
): { modules: Record<string, unknown>; enums: Record<string, unknown> } {
  const modules: Record<string, ModuleExtension> = {}
  const enums: Record<string, object> = {}
  for (const key of new Set(ownFields.all.map(({ entity }) => entity))) {
    const { fields } = ownFields.seenBy(principal, key)
    const [module = '', entity = ''] = key.split('.')
    if (!fields.length) continue
    modules[module] ??= { entities: {}, configuration: {} }
    const properties = Object.fromEntries(
      fields.map((field) => [field.name, propertyOf(field, maySetField(field, principal), culture)]),
    )
    modules[module].entities[entity] = { properties, configuration: {} }
    for (const field of fields)
      if (field.values)
        enums[typeOf(field)] = {
          fields: Object.entries(field.values).map(([name, value]) => {
            // ABP's clients look for a text of the name; ours show the label.
            return { name, value, displayName: ownValueLabel(field, name, culture) }
          }),
          localizationResource: module,
        }
  }
  return { modules, enums }
}

function typeOf({ entity, name, type }: OwnField): string {
  return type === 'enumeration' ? `${entity}${name}` : types[type][0]
}

function propertyOf(field: OwnField, maySet: boolean, culture: string): object {
  const permissionNames = [field.permission, field.writePermission].filter((one) => one !== undefined)
  const noFeatures = { features: [], requiresAll: false }
  const set = { isAvailable: maySet }
  const shownInForm = { isVisible: maySet }
  return {
    type: typeOf(field),
    typeSimple: types[field.type][1],
    // The resource `_` says that the name is a text and no key.
    displayName: { name: ownFieldLabel(field, culture), resource: '_' },
    api: { onGet: { isAvailable: true }, onCreate: set, onUpdate: set },
    ui: {
      onTable: { isVisible: true },
      onCreateForm: shownInForm,
      onEditForm: shownInForm,
      lookup: {
        url: null,
        resultListPropertyName: 'items',
        displayPropertyName: 'text',
        valuePropertyName: 'id',
        filterParamName: 'filter',
      },
    },
    policy: {
      globalFeatures: noFeatures,
      features: noFeatures,
      permissions: { permissionNames, requiresAll: true },
    },
    attributes: attributesOf(field),
    configuration: {},
    defaultValue: field.default ?? null,
  }
}

const least = { integer: -2147483648, decimal: -1e13 } as const

/** The limits of a field as ABP's validators. */
function attributesOf({ type, required, maxLength, min, max }: OwnField): object[] {
  const attributes: object[] = []
  if (required) attributes.push({ typeSimple: 'required', config: { allowEmptyStrings: false } })
  if (type === 'text') attributes.push({ typeSimple: 'stringLength', config: { maximumLength: maxLength } })
  const isNumber = type === 'integer' || type === 'decimal'
  if (isNumber && (min !== undefined || max !== undefined))
    attributes.push({
      typeSimple: 'range',
      // Both sides are needed. A field without one has the bounds of its type.
      config: { minimum: min ?? least[type], maximum: max ?? -least[type] - 1 },
    })
  return attributes
}
