import type { AnyDto } from '../contracts/index.js'
import type { Application } from '../modularity/application.js'
import type { Annotations } from './csdl.js'
import type { EntitySet, Navigation, Property } from './entity-model.js'

/** What operations take: the members that can be given when a thing is made, and when it is changed. */
interface Inputs {
  readonly creating: Set<string>
  readonly changing: Set<string>
}

const [core, measures, common] = [
  'Org.OData.Core.V1',
  'Org.OData.Measures.V1',
  'com.sap.vocabularies.Common.v1',
]

/** Annotations of the members of entity types: what the DTO and the operations on it say, and labels in a language. */
export class MemberAnnotations {
  private readonly inputs = new Map<AnyDto, Inputs>()

  /** Made when all services are known. */
  constructor(private readonly application: Application) {
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

  /** Of a property: description, label, whether callers can give it, and what its number is measured in. */
  ofProperty(set: EntitySet, property: Property, culture: string): Annotations {
    const { attribute } = property.column
    const { description, unit, currency } = told(set.dto, attribute)
    const reference = [...set.type.navigations.values()].find(
      ({ own, collection }) => own === property && !collection,
    )
    const target = reference && this.label(set, reference.name, culture)
    const label = this.label(set, property.name, culture) ?? (target && `${target} (Id)`)
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

  ofNavigation(set: EntitySet, { name }: Navigation, culture: string): Annotations {
    const label = this.label(set, name, culture)
    return label ? { [`${common}.Label`]: label } : {}
  }

  private label({ type }: EntitySet, member: string, culture: string): string | undefined {
    const { localization } = this.application
    return (
      localization.find(`DisplayName:${type.name}:${member}`, culture) ??
      localization.find(`DisplayName:${member}`, culture)
    )
  }

  /** Of a set whose things are made and changed here: what only the server writes, and what stays as it was made. */
  private writability(dto: AnyDto | undefined, attribute: string): Annotations {
    const inputs = dto && this.inputs.get(dto)
    if (!inputs) return {}
    if (attribute === 'concurrencyStamp') return { [`${core}.Computed`]: true }
    if (inputs.changing.has(attribute)) return {}
    return { [`${core}.${inputs.creating.has(attribute) ? 'Immutable' : 'Computed'}`]: true }
  }
}

/** What the member of a DTO says of itself with `.meta(…)`. */
function told(dto: AnyDto | undefined, attribute: string): Told {
  const field = dto?.shape[attribute] as { meta?(): Record<string, unknown> | undefined } | undefined
  const { description, 'x-unit': unit, 'x-currency': currency } = field?.meta?.() ?? {}
  return { description, unit, currency } as Told
}

interface Told {
  readonly description?: string
  readonly unit?: string
  readonly currency?: string
}
