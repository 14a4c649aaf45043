import { type AnyDto, dtoOf } from '../../contracts/index.js'
import { ownFieldOf } from '../../data/entities/own-columns.js'
import type { EnumScalar } from '../../data/query/scalars.js'
import type { Application } from '../../modularity/application.js'
import { ContractTexts } from '../../modularity/contract-texts.js'
import { ownFieldLabel } from '../../modularity/own-fields.js'
import { type Tsdoc, wholeText } from '../../modularity/tsdoc.js'
import type { Annotations, Describing } from './csdl.js'
import type {
  ComplexProperty,
  ComplexType,
  EntitySet,
  ListProperty,
  Navigation,
  ObjectsProperty,
  Property,
} from './entity-model.js'
import type { ObjectMember } from './object-members.js'

/** The members that operations take when a thing is made, and when it is changed. */
interface Inputs {
  readonly creating: Set<string>
  readonly changing: Set<string>
}

const [core, measures, common] = [
  'Org.OData.Core.V1',
  'Org.OData.Measures.V1',
  'com.sap.vocabularies.Common.v1',
]

/** Annotations of types and their members, from DTOs, their TSDoc and the operations on them. */
export class MemberAnnotations {
  private readonly inputs = new Map<AnyDto, Inputs>()
  private readonly texts: ContractTexts

  /** Made when all services are known. */
  constructor(private readonly application: Application) {
    this.texts = ContractTexts.of(application)
    for (const { contract } of application.localServices)
      for (const { result, parameters, route } of contract.contract.operations.values()) {
        const dto = result as AnyDto | undefined
        const body = parameters.find((_, index) => ['body', 'form'].includes(route.sources[index] ?? ''))?.dto
        if (!dto || !body || typeof dto !== 'function') continue
        const inputs = this.inputs.get(dto) ?? { creating: new Set(), changing: new Set() }
        this.inputs.set(dto, inputs)
        const names = route.sources.includes('path') ? inputs.changing : inputs.creating
        for (const name of Object.keys(body.shape)) names.add(name)
      }
  }

  /** All annotations, with labels in a language. Descriptions are the English ones of the contracts. */
  describing(culture: string): Describing {
    return {
      type: ({ dto }) => described(dto && this.texts.ofDto(dto)),
      property: (set, property) => this.ofProperty(set, property, culture),
      part: (set, part) => this.ofPart(set, part, culture),
      navigation: (set, navigation) => this.ofNavigation(set, navigation, culture),
      complexMember: (type, member, set) => ({
        ...(member.kind === 'member'
          ? this.ofObjectMember(type, member)
          : described(set && this.texts.ofMember(set.dto, member.column.attribute))),
        ...labelled(this.label(set?.module ?? '', type, member.name, culture)),
      }),
      enumeration: ({ name }) => described(this.texts.ofEnumeration(name)?.doc),
      enumerationMember: (type, member, value) => this.ofEnumerationMember(type, member, value, culture),
    }
  }

  /** Of a property: description, label, whether callers can give it, and what its number is measured in. */
  private ofProperty(set: EntitySet, property: Property, culture: string): Annotations {
    const own = ownFieldOf(property.column)
    if (own) return labelled(ownFieldLabel(own, culture))
    return this.ofColumn(set, property, culture)
  }

  private ofColumn(set: EntitySet, property: Property, culture: string): Annotations {
    const { attribute } = property.column
    const { unit, currency, ...own } = told(set.dto, attribute)
    const description = own.description ?? textOf(this.texts.ofMember(set.dto, attribute))
    const reference = [...set.type.navigations.values()].find(
      ({ own, collection }) => own === property && !collection,
    )
    const target = reference && this.label(set.module, set.type, reference.name, culture)
    const label = this.label(set.module, set.type, property.name, culture) ?? (target && `${target} (Id)`)
    const amount =
      currency && [...set.type.properties.values()].find((one) => one.column.attribute === currency)
    return {
      ...(description && { [`${core}.Description`]: description }),
      ...(label && { [`${common}.Label`]: label }),
      ...this.writability(set.dto, attribute),
      ...(unit && { [`${measures}.Unit`]: unit }),
      ...(amount && { [`${measures}.ISOCurrency`]: { $Path: amount.name } }),
    }
  }

  /** Of a property that holds a list or has properties inside. */
  private ofPart(
    set: EntitySet,
    part: ListProperty | ObjectsProperty | ComplexProperty,
    culture: string,
  ): Annotations {
    const doc = part.kind === 'complex' ? undefined : this.texts.ofMember(set.dto, part.column.attribute)
    return { ...described(doc), ...labelled(this.label(set.module, set.type, part.name, culture)) }
  }

  /** Of a member of the objects of a collection: description, and what its number is measured in. */
  private ofObjectMember({ schema }: ComplexType, { key }: ObjectMember): Annotations {
    const { description, unit } = told(schema, key)
    const own = description ?? textOf(this.texts.ofMember(schema && dtoOf(schema), key))
    return {
      ...(own && { [`${core}.Description`]: own }),
      ...(unit && { [`${measures}.Unit`]: unit }),
    }
  }

  private ofNavigation(set: EntitySet, { name }: Navigation, culture: string): Annotations {
    const attribute = name.charAt(0).toLowerCase() + name.slice(1)
    const doc = set.dto && attribute in set.dto.shape ? this.texts.ofMember(set.dto, attribute) : undefined
    return { ...described(doc), ...labelled(this.label(set.module, set.type, name, culture)) }
  }

  /** Labels of members are ABP's texts: `Enum:<name>.<value>`. */
  private ofEnumerationMember(
    { name }: EnumScalar,
    member: string,
    value: number,
    culture: string,
  ): Annotations {
    const label = this.application.localization.find(`Enum:${name}.${value}`, culture)
    return { ...described(this.texts.ofEnumeration(name)?.members.get(member)), ...labelled(label) }
  }

  private label(
    module: string,
    type: { readonly name: string },
    member: string,
    culture: string,
  ): string | undefined {
    return this.application.localization.label(module, type.name, member, culture)
  }

  /** Annotations of members that only the server writes, and of members that never change. */
  private writability(dto: AnyDto | undefined, attribute: string): Annotations {
    const inputs = dto && this.inputs.get(dto)
    if (!inputs) return {}
    if (attribute === 'concurrencyStamp') return { [`${core}.Computed`]: true }
    if (inputs.changing.has(attribute)) return {}
    return { [`${core}.${inputs.creating.has(attribute) ? 'Immutable' : 'Computed'}`]: true }
  }
}

const textOf = (doc: Tsdoc | undefined): string | undefined => (doc && wholeText(doc)) || undefined

function described(doc: Tsdoc | undefined): Annotations {
  const text = textOf(doc)
  return text ? { [`${core}.Description`]: text } : {}
}

const labelled = (label: string | undefined): Annotations => (label ? { [`${common}.Label`]: label } : {})

/** The `.meta(…)` of a DTO's member. */
function told(declaring: Pick<AnyDto, 'shape'> | undefined, attribute: string): Told {
  const field = declaring?.shape[attribute] as { meta?(): Record<string, unknown> | undefined } | undefined
  const { description, 'x-unit': unit, 'x-currency': currency } = field?.meta?.() ?? {}
  return { description, unit, currency } as Told
}

interface Told {
  readonly description?: string
  readonly unit?: string
  readonly currency?: string
}
