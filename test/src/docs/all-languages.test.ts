import { readdirSync, readFileSync } from 'node:fs'
import { ApiHost } from '@keel/api-host'
import {
  Configuration,
  compileInputCheck,
  contractOf,
  createApplication,
  KeelModule,
  Module,
} from '@keel/framework'
import { isDto, unwrap, wireKind, type z } from '@keel/framework/contracts'
import { EntityModel } from '@keel/framework/odata'
import { OpenIdModule } from '@keel/openid'
import ts from 'typescript'
import { expect, test } from 'vitest'

@Module({ dependsOn: [ApiHost, OpenIdModule] })
class AllTexts extends KeelModule {}

const application = createApplication(AllTexts, new Configuration())
const { localization } = application
/** Keys without a text in English. `texts.test.ts` compares the other languages with English. */
const without = (keys: Iterable<string>): string[] =>
  [...new Set(keys)].filter((key) => localization.find(key, 'en') === undefined).sort()

/** Every schema of the parameters and results of all contracts, and of what is inside of them. */
const schemas = new Set<z.ZodType>()
const contracts = application.modules.flatMap(({ options }) =>
  (options.services ?? []).flatMap((service) => contractOf(service) ?? []),
)
for (const { contract } of contracts)
  for (const { parameters, result } of contract.operations.values()) {
    for (const { schema } of parameters) collect(schema)
    if (result) collect(isDto(result) ? result.schema : result)
  }

function collect(schema: z.ZodType): void {
  if (schemas.has(schema)) return
  schemas.add(schema)
  const inner = unwrap(schema)
  const { shape, element, valueType, options } = inner._zod.def as unknown as {
    shape?: Record<string, z.ZodType>
    element?: z.ZodType
    valueType?: z.ZodType
    options?: z.ZodType[]
  }
  for (const one of [...Object.values(shape ?? {}), element, valueType, ...(options ?? [])])
    if (one) collect(one)
}

test('every value of every enumeration of the contracts and of OData has a text', () => {
  const keys = [...schemas].flatMap((schema) => {
    const wire = wireKind(schema)
    if (wire?.kind !== 'enum' && wire?.kind !== 'enumName') return []
    return Object.values(wire.members).map((value) => `Enum:${wire.name}.${value}`)
  })
  const published = [...new EntityModel(application.modules).enums.values()].flatMap(({ name, members }) =>
    [...members].map(([, value]) => `Enum:${name}.${value}`),
  )
  expect(keys.length).toBeGreaterThan(80)
  expect(without([...keys, ...published])).toEqual([])
})

/** Values that break types, limits and forms. */
const hostile: readonly unknown[] = [
  ...[
    undefined,
    null,
    true,
    'x',
    '',
    ' ',
    'ä\u0000',
    'x'.repeat(70_000),
    0.5,
    -1e300,
    1e300,
    Number.NaN,
    -1,
    0,
  ],
  ...[
    [],
    Array(5000).fill('x'),
    {},
    { nothing: { like: 'this' } },
    '2026-13-45',
    '1.23456789012345678901',
    new Map(),
  ],
]

test('every fault that a contract finds has a text', () => {
  const found = new Map<string, string>()
  for (const schema of schemas) {
    const check = compileInputCheck({ schema: schema as z.ZodObject })
    for (const value of hostile)
      for (const { text, message } of check(value).faults) found.set(text?.key ?? message, message)
  }
  expect(found.size).toBeGreaterThan(30)
  expect(without(found.keys())).toEqual([])
})

const root = new URL('../../../', import.meta.url).pathname
const packages = ['framework', ...readdirSync(`${root}modules`).map((name) => `modules/${name}`)]
/** Programs that only developers use, and the shapes of errors themselves. */
const apart =
  /^framework\/src\/(cli|testing|http\/openapi)\/|\.test\.ts$|^framework\/src\/contracts\/error|\/http-errors\.ts$/
const sources = packages
  .flatMap((folder) =>
    readdirSync(`${root}${folder}/src`, { recursive: true }).map((path) => `${folder}/src/${path}`),
  )
  .filter((path) => path.endsWith('.ts') && !apart.test(path))
  .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))
  .filter(({ text }) => /Error\(|members:|\bsay`|refuse\(/.test(text))

/** Errors whose first argument is the message; without one they have a text of their own. */
const withMessage =
  /^(UnauthenticatedError|ForbiddenError|ConcurrencyError|UserFriendlyError|PayloadTooLargeError|UnsupportedMediaTypeError)$/
/** The place of the message among the arguments of others. */
const messagePlace: Readonly<Record<string, number>> = { UnavailableError: 0, TooManyRequestsError: 1 }

function nodesOf(node: ts.Node): ts.Node[] {
  const found = [node]
  for (const one of found) ts.forEachChild(one, (child) => void found.push(child))
  return found
}

const namesOf = (node: ts.ObjectLiteralExpression): string[] =>
  node.properties.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : []))

/** Finds a message for people, in the words of the program alone. */
function isUntold(node: ts.Node): boolean {
  if (ts.isObjectLiteralExpression(node)) {
    const names = namesOf(node)
    return names.includes('message') && names.includes('members') && !names.includes('text')
  }
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return false
  const { text: name } = node.expression
  const place = withMessage.test(name) ? 0 : messagePlace[name]
  const message = place === undefined ? undefined : node.arguments?.[place]
  if (!message || (!ts.isStringLiteralLike(message) && !ts.isTemplateExpression(message))) return false
  const options = node.arguments?.filter(ts.isObjectLiteralExpression) ?? []
  return !options.some((one) => namesOf(one).includes('text'))
}

test('every error that a caller meets names its text', () => {
  const untold = sources.flatMap(({ path, text }) => {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    return nodesOf(file)
      .filter(isUntold)
      .map((node) => `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`)
  })
  expect(untold).toEqual([])
})

test('every code of a business error has a text', () => {
  const constants = new Map(
    sources.flatMap(({ text }) =>
      [...text.matchAll(/const (\w+) = '([\w.]+:[\w:.]+)'/g)].map(([, name = '', code = '']) => [name, code]),
    ),
  )
  const codes = sources.flatMap(({ text }) =>
    [...text.matchAll(/new BusinessError\(\s*(?:'([^']+)'|(\w+)[,)])/g)].map(
      ([, code, name = '']) => code ?? constants.get(name) ?? '',
    ),
  )
  const known = codes.filter(Boolean)
  expect(known.length).toBeGreaterThan(2)
  expect(without(known)).toEqual([])
})

/** The words of a message of the OData layer, as the key of its text has them. */
function wordsIn(node: ts.Node): string[] {
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'say') {
    const { template } = node
    if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
    return [
      template.templateSpans.reduce(
        (text, span, i) => `${text}{${i}}${span.literal.text}`,
        template.head.text,
      ),
    ]
  }
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return []
  const name = node.expression.getText()
  const isStated = /^(ODataError\.(invalid|notFound)|faulty|malformed)$|\.refuse$/.test(name)
  const message = name === 'ODataError' ? node.arguments?.[1] : isStated ? node.arguments?.[0] : undefined
  if (message && ts.isTemplateExpression(message)) return [`without say: ${message.getText()}`]
  return message && ts.isStringLiteralLike(message) ? [message.text] : []
}

test('every entity that a caller is told of has a name', () => {
  const named = sources.flatMap(({ text }) =>
    [...text.matchAll(/new EntityNotFoundError\(\s*'(\w+)'/g)].map(([, name]) => name),
  )
  const ofModules = application.modules
    .filter(({ name }) => name === 'Hub' || name === 'Pricing')
    .flatMap(({ options }) => (options.entities ?? []).map(({ name }) => name))
  expect(ofModules.length).toBeGreaterThan(10)
  expect(without([...named, ...ofModules].map((name) => `Entity:${name}`))).toEqual([])
})

test('every message of the OData layer has a text', () => {
  const keys = sources
    .filter(({ path }) => path.startsWith('framework/src/odata/'))
    .flatMap(({ path, text }) =>
      nodesOf(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)).flatMap(wordsIn),
    )
    .map((words) => `OData:${words}`)
  expect(new Set(keys).size).toBeGreaterThan(120)
  expect(without(keys)).toEqual([])
})
