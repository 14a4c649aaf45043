import { BusinessError, ExportsFeature, exportOperations } from '../contracts/index.js'
import type { Class, Constructor } from './class.js'
import { withBases } from './dependencies.js'
import type { Features } from './features.js'
import { replacedBy } from './injectable.js'
import type { Interceptor, Step } from './interceptor.js'
import type { LocalService } from './service-bindings.js'
import { StartupError } from './startup-error.js'

/** ABP's code of what is refused because a feature is off. */
export const featureIsNotEnabled = 'Volo.Feature:010001'

const onMethods = new WeakMap<object, Map<string, string>>()
const onClasses = new WeakMap<object, string>()
const exportNames: ReadonlySet<string> = new Set(exportOperations)

/**
 * Refuses an operation, or operations of a class, while a toggle is off: 403 with ABP's code `Volo.Feature:010001`.
 * @param operations of a class: the operations, which it may inherit; all of them when none is named
 * @example @RequiresFeature('SettingManagement.Enable') export class EmailSettingsService implements EmailSettingsAppService { … }
 * @example @RequiresFeature('Fleet.Planning', 'getPlan') export class TruckService extends CrudService(TruckAppService, Truck) {}
 */
export function RequiresFeature(feature: string, ...operations: readonly string[]) {
  return (target: object, member?: string): void => {
    if (member === undefined && operations.length === 0) onClasses.set(target, feature)
    const owner = member === undefined ? (target as Constructor).prototype : target
    const own = onMethods.get(owner) ?? new Map<string, string>()
    for (const name of member === undefined ? operations : [member]) own.set(name, feature)
    onMethods.set(owner, own)
  }
}

/**
 * The features that an operation needs: its class' and its own, and that of exports where it gives a list as a file. What a class does not say
 * itself, the class says that it extends, then the class whose place it takes.
 */
export function requiredFeatures(service: Constructor, operation: string): string[] {
  const ofClass = nearest(service, (one) => onClasses.get(one))
  const own = nearest(service, ({ prototype }) => onMethods.get(prototype as object)?.get(operation))
  const ofFiles = exportNames.has(operation) ? ExportsFeature.name : undefined
  return [ofClass, own, ofFiles].filter((name) => name !== undefined)
}

function nearest(service: Class, declared: (one: Class) => string | undefined): string | undefined {
  for (const one of withBases(service)) {
    const found = declared(one)
    if (found !== undefined) return found
  }
  const original = replacedBy(service)
  return original && nearest(original, declared)
}

/** Refuses to start with an operation that needs a feature which no module declares. */
export function refuseUnknownFeatures(features: Features, services: readonly LocalService[]): void {
  for (const { contract, service } of services)
    for (const operation of contract.contract.operations.keys()) {
      const unknown = requiredFeatures(service, operation).find((name) => !features.definitions.has(name))
      if (unknown)
        throw new StartupError(
          `${service.name}.${operation} requires the feature ${unknown}, which no module of this host lists in features`,
        )
    }
}

/** Lets an operation run only while the features it needs are on. */
export function featureGate(features: Features): Interceptor {
  return {
    step: 'features',
    intercept({ service, operation }): Step | undefined {
      const needed = requiredFeatures(service, operation.name)
      if (needed.length === 0) return undefined
      return async (args, next) => {
        await demandFeatures(features, needed)
        return next(args)
      }
    },
  }
}

/** Throws ABP's error for the first of these features that is off. */
export async function demandFeatures(features: Features, needed: readonly string[]): Promise<void> {
  for (const name of needed)
    if (!(await features.isEnabled(name))) throw new BusinessError(featureIsNotEnabled, { FeatureName: name })
}
