import {
  type AnyDto,
  type ContractOperation,
  Dto,
  featureOf,
  fieldsOf,
  fileTypesOf,
  filterFieldsOf,
  genericOf,
  isDto,
  type Parameter,
  type ParameterSource,
  pascalCase,
  unwrap,
  wireKind,
  z,
} from '../../contracts/index.js'
import type { Application, LocalService } from '../../modularity/application.js'
import { guardOf } from '../../security/guards.js'
import { isText } from '../openapi/openapi.js'
import { type ClrType, ClrTypes } from './clr-types.js'

type Json = Record<string, unknown>

/** ABP's description of what a host serves, for generators of clients (abp-http-contract section 3). */
export interface ApiDefinition {
  readonly modules: Json
  readonly types: Json
}

/**
 * The API definition of everything a host serves, made from the contracts. Deterministic: the same modules
 * give the same definition.
 */
export function apiDefinition(application: Application): ApiDefinition {
  const services = application.localServices
  const types = new ClrTypes(services.map(({ contract }) => contract))
  const modules: Record<string, { controllers: Json } & Json> = {}
  for (const local of services) {
    const { rootPath, moduleName = rootPath, name } = local.contract.contract.service
    // In ABP both are the area of the controllers, which need not be how their routes begin.
    modules[moduleName] ??= { rootPath: moduleName, remoteServiceName: name, controllers: {} }
    const controller = controllerOf(local, types)
    modules[moduleName].controllers[controller.type] = controller
  }
  for (const module of Object.values(modules)) module.controllers = sorted(module.controllers)
  return { modules: sorted(modules), types: typesOf(types) }
}

function controllerOf({ contract, service }: LocalService, types: ClrTypes) {
  const { name, operations } = contract.contract
  const namespace = types.namespaceOf(contract)
  const feature = featureOf(name)
  const contractType = `${namespace}.I${name}`
  const actions = [...operations.values()].map((operation) => {
    const action = actionOf(operation, types, guardOf(service, operation.name))
    return [action.uniqueName, { ...action, implementFrom: contractType }] as const
  })
  return {
    controllerName: feature,
    controllerGroupName: feature,
    isRemoteService: true,
    isIntegrationService: false,
    apiVersion: null,
    type: `${namespace}.${feature}Controller`,
    interfaces: [
      {
        type: contractType,
        name: `I${name}`,
        methods: actions.map(([, { name: method, parametersOnMethod, returnValue }]) => ({
          name: method,
          parametersOnMethod,
          returnValue,
        })),
      },
    ],
    actions: sorted(Object.fromEntries(actions)),
  }
}

function actionOf(operation: ContractOperation, types: ClrTypes, guard: ReturnType<typeof guardOf>) {
  const { name, parameters, result, route } = operation
  const fileTypes = fileTypesOf(operation)
  const method = methodName(name)
  const isAnonymous = guard?.kind === 'anonymous'
  // A parameter before a required one is required too, as in the methods that generators write.
  const mayBeLeftOut = parameters.map((_, index) =>
    parameters.slice(index).every(({ schema }) => schema.safeParse(undefined).success),
  )
  return {
    uniqueName: uniqueName(
      name,
      parameters.map((parameter) => parameter.name),
    ),
    name: method,
    httpMethod: route.verb,
    url: route.path.slice(1),
    supportedVersions: [],
    parametersOnMethod: parameters.map((parameter, index) =>
      methodParameter(parameter, types, mayBeLeftOut[index]),
    ),
    parameters: parameters.flatMap((parameter, index) =>
      wireParameters(parameter, route.sources[index], types, mayBeLeftOut[index]),
    ),
    returnValue: {
      ...types.resultType(result),
      contentTypes: fileTypes ?? contentTypesOf(result),
      isRemoteStream: fileTypes !== undefined,
    },
    allowAnonymous: isAnonymous ? true : null,
    authorizeDatas: isAnonymous ? [] : [{ policy: policyOf(guard), roles: null }],
  }
}

/** The policy that ABP would ask for: there, every permission is one. */
function policyOf(guard: ReturnType<typeof guardOf>): string | null {
  if (guard?.kind === 'policy') return guard.anyOf[0] ?? guard.policy.name
  return guard?.kind === 'permission' ? guard.permission : null
}

function contentTypesOf(result: ContractOperation['result']): string[] {
  if (!result) return []
  return !isDto(result) && isText(result) ? ['text/plain', 'application/json'] : ['application/json']
}

/** `getList` → `GetListAsync`, as the method is called in ABP. */
function methodName(name: string): string {
  return `${pascalCase(name).replace(/Async$/, '')}Async`
}

/** ABP's name of an action: `GetAsyncById`, `UpdateAsyncByIdAndInput`. */
export function uniqueName(name: string, parameters: readonly string[]): string {
  const by = parameters.length ? `By${parameters.map(pascalCase).join('And')}` : ''
  return methodName(name) + by
}

function methodParameter(parameter: Parameter, types: ClrTypes, isOptional = false): Json {
  const { name } = parameter
  const type = types.parameterType(parameter)
  return {
    name,
    typeAsString: `${type.type}, ${type.type.startsWith('System.') ? 'System.Private.CoreLib' : type.type.split('.').slice(0, 2).join('.')}`,
    ...type,
    isOptional,
    defaultValue: null,
  }
}

/** A parameter as it travels: a DTO of the query or of a form is its members, one by one. */
function wireParameters(
  { name, schema, dto }: Parameter,
  source: ParameterSource | undefined,
  types: ClrTypes,
  isOptional = false,
): Json[] {
  if ((source !== 'query' && source !== 'form') || !dto)
    return [
      {
        ...wireParameter(name, { name, jsonName: null }, schema, types.typeOf(schema), source ?? 'query', ''),
        isOptional: source === 'query' && isOptional,
      },
    ]
  return fieldsOf(dto).map(([field, fieldSchema]) =>
    wireParameter(name, memberName(field), fieldSchema, queryType(fieldSchema, types), source, name),
  )
}

/**
 * A map of filters is called a dictionary: then ABP's generator sends its entries by their names instead of
 * `[object Object]`.
 */
function queryType(schema: z.ZodType, types: ClrTypes): ClrType {
  const type = types.typeOf(schema)
  return filterFieldsOf(schema).length ? { ...type, type: filterDictionary } : type
}

const filterDictionary =
  'System.Collections.Generic.Dictionary<System.String,System.Collections.Generic.List<System.String>>'

const bindingSources: Readonly<Record<ParameterSource, string>> = {
  path: 'Path',
  query: 'ModelBinding',
  body: 'Body',
  form: 'Form',
}

function wireParameter(
  nameOnMethod: string,
  named: { readonly name: string; readonly jsonName: string | null },
  schema: z.ZodType,
  type: ClrType,
  source: ParameterSource,
  descriptorName: string,
): Json {
  const isFile = wireKind(schema)?.kind === 'file'
  return {
    nameOnMethod,
    ...named,
    ...type,
    isOptional: (source === 'query' || source === 'form') && schema.safeParse(undefined).success,
    defaultValue: null,
    constraintTypes: [],
    bindingSourceId: isFile ? 'FormFile' : bindingSources[source],
    // Without a descriptor the generator sends the parameter as it is: the form.
    descriptorName: isFile ? '' : descriptorName,
  }
}

/** The .NET name of a member; its JSON name is given where camel case would not give it back (`eTAG`). */
export function memberName(field: string): { readonly name: string; readonly jsonName: string | null } {
  const isDerived = /^[a-z][A-Za-z0-9]*$/.test(field) && !/^[a-z][A-Z]([A-Z]|$)/.test(field)
  return isDerived ? { name: pascalCase(field), jsonName: null } : { name: field, jsonName: field }
}

function typesOf(types: ClrTypes): Json {
  const all: Json = {}
  if (types.streamType) all[types.streamType] = dtoType(RemoteStreamContent, types)
  for (const [name, dto] of types.dtos) all[name] = dtoType(dto, types)
  for (const [name, dto] of types.generics)
    all[name] = { ...dtoType(dto, types, genericOf(dto)?.argument), genericArguments: ['T'] }
  for (const [name, { members }] of types.enumerations)
    all[name] = {
      baseType: 'System.Enum',
      isEnum: true,
      enumNames: Object.keys(members),
      enumValues: Object.values(members),
      genericArguments: null,
      properties: null,
    }
  return sorted(all)
}

/** ABP's description of a file. */
class RemoteStreamContent extends Dto({
  fileName: z.string().nullish(),
  contentType: z.string().nullish(),
  contentLength: z.int().nullish(),
}) {}

function dtoType(dto: AnyDto, types: ClrTypes, argument?: AnyDto): Json {
  return {
    baseType: null,
    isEnum: false,
    enumNames: null,
    enumValues: null,
    genericArguments: null,
    properties: fieldsOf(dto).map(([field, schema]) => ({
      ...memberName(field),
      ...types.typeOf(schema, argument),
      isRequired: !schema.safeParse(undefined).success,
      isNullable: schema.safeParse(null).success,
      ...limitsOf(unwrap(schema)),
    })),
  }
}

/** The limits of a text or a number; those of a number are texts, as ABP has them. */
function limitsOf(schema: z.ZodType): Json {
  const { type, format } = schema._zod.def as { type: string; format?: string }
  const isLimited = type === 'number' || (type === 'string' && format !== 'guid' && format !== 'uuid')
  const limits: z.core.JSONSchema.BaseSchema = isLimited ? z.toJSONSchema(schema) : {}
  const bound = (value: number | undefined): string | null =>
    value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? null : String(value)
  return {
    minLength: limits.minLength ?? null,
    maxLength: limits.maxLength ?? null,
    minimum: bound(limits.minimum),
    maximum: bound(limits.maximum),
    regex: limits.pattern ?? null,
  }
}

function sorted<T>(members: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}
