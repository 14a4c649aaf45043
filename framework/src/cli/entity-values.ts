import { InputError } from '../modularity/input-error.js'
import type { EntityField } from './entity-fields.js'
import { camel, capitalized, pascal, plural, words } from './names.js'
import { readRepository } from './repository.js'
import type { StagedFiles } from './staged-files.js'
import { referredBy, type TargetModule } from './target-module.js'
import { renderPart, type TemplateValues } from './templates.js'

/** Everything that the templates of an entity name. */
export function entityValues(
  files: StagedFiles,
  target: TargetModule,
  entity: string,
  fields: readonly EntityField[],
): TemplateValues {
  const Entity = pascal(entity)
  const entities = plural(entity)
  const Table = `${pascal(target.rootPath)}${pascal(entities)}`
  const referred = new Map(fields.map((field) => [field, referredBy(files, target, Entity, field)]))
  const tableReferredBy = (field: EntityField): string | undefined =>
    field.reference === Entity ? Table : referred.get(field)?.table
  const enumerations = fields.flatMap((field) => field.enumeration ?? [])
  const searched = fields.filter((field) => field.isSearched).map(({ name }) => `'${name}'`)
  const impossible = fields.find(({ reference, isRequired }) => reference === Entity && isRequired)
  if (impossible)
    throw new InputError(
      `The field ${impossible.name} can't be required: the first row would have nothing to refer to`,
    )
  const required = fields.filter(({ reference, isRequired }) => reference !== undefined && isRequired)
  const optional = fields.find(({ reference }) => reference !== undefined)
  const given = fields.filter(({ reference, isRequired }) => reference === undefined || isRequired)
  const inputOf = (sample: 0 | 1) =>
    given
      .map(({ name, samples }) => (samples[sample] === name ? name : `${name}: ${samples[sample]}`))
      .join(', ')
  const shown = lookupOf(fields)
  const macros = [
    `...crud(${Entity}Dto, ${Entity}Input),`,
    ...(shown ? ['...lookup(),'] : []),
    '...deleteMany(),',
    '...exportable(),',
    `...restorable(${Entity}Dto, Deleted${Entity}Dto),`,
  ].join('\n')
  const names = {
    scope: readRepository(files).scope,
    ...{ module: target.name, Module: pascal(target.name), moduleVariable: camel(target.name) },
    ...{ Service: target.Service, serviceFile: target.serviceFile, rootPath: target.rootPath },
    ...{ entity, Entity, entities, EntitySet: pascal(entities), variable: camel(entities), Table },
    ...{ words: words(entity), manyWords: words(entities), Many: capitalized(words(entities)) },
    ...{ a: articleOf(entity), A: capitalized(articleOf(entity)) },
    reference: optional?.name ?? '',
    createProxy: target.proxy?.create ?? '',
    ...{ code: shown?.code ?? '', name: shown?.name ?? '' },
    lookupMembers: [...new Set(Object.values(shown ?? {}))].join(', '),
    grantOfRestore: target.knowsRoles ? '@GrantedTo(OperationsManager)' : '',
    grants: target.knowsRoles
      ? `, {\n${['View', 'Create', 'Edit', 'Delete'].map((right) => `  ${right}: [OperationsManager],\n`).join('')}}`
      : '',
    searchable: searched.length ? `searchable: [${searched.join(', ')}],` : '',
  }
  const referenceTest = optional ? renderPart('reference-test.ts', names) : ''
  const members = fields.map(memberOf).join('\n')
  const columns = fields.map((field) => columnOf(field, target.hasSchema)).join('\n')
  return {
    ...names,
    members,
    macros,
    columns,
    enumerations: enumerations
      .map(
        (one) =>
          `/** Values of \`${camel(one.name.slice(Entity.length))}\` of ${articleOf(entity)} ${words(entity)}. */\nexport enum ${one.name} {\n${one.members.map((member, index) => `  ${member} = ${index},\n`).join('')}}\n`,
      )
      .join('\n'),
    contractImports: used(
      [
        'AppService',
        'calendarDate',
        'crud',
        'decimal',
        'deleteMany',
        'deletionMembers',
        'EntityDto',
        'enumeration',
        'exportable',
        'guid',
        'InputOf',
        'instant',
        'lookup',
        'restorable',
        'z',
      ],
      `AppService deletionMembers EntityDto InputOf ${members} ${macros}`,
    ),
    dataImports: used(
      ['Column', 'DataType', 'Entity', 'FullyAuditedEntity', 'OptionalColumn'],
      `Entity FullyAuditedEntity ${columns}`,
    ),
    domainImports: [
      ...(enumerations.length
        ? [`import { ${enumerations.map(({ name }) => name).join(', ')} } from '../contracts/index.js'`]
        : []),
      ...new Set(
        [...referred].flatMap(([{ reference }, known]) =>
          known ? [`import { ${reference} } from './${known.file.slice(0, -3)}.js'`] : [],
        ),
      ),
    ].join('\n'),
    entityOptions: optionsOf(fields),
    crudOptions: crudOptionsOf(searched, shown),
    lookupTest: shown ? renderPart('lookup-test.ts', names) : '',
    firstInput: inputOf(0),
    secondInput: inputOf(1),
    sqlColumns: fields.map(sqlColumnOf).join('\n'),
    sqlConstraints: fields
      .flatMap((field) => sqlConstraintsOf(field, Table, tableReferredBy(field)))
      .join('\n'),
    sqlIndexes: fields.flatMap((field) => sqlIndexesOf(field, Table)).join('\n'),
    app: files.find('test/src/support/app.ts') === undefined ? '../app.js' : '../support/app.js',
    nodeImports: referenceTest ? "import { randomUUID } from 'node:crypto'" : '',
    testDataImports: required.length
      ? "import { Databases } from '@keel/framework/data'\nimport { someRow } from '@keel/framework/testing'"
      : '',
    testContractImports: [
      `${Entity}AppService`,
      `${Entity}Permissions`,
      ...enumerations.map(({ name }) => name),
    ].join(', '),
    proxyImport: target.proxy ? `import { ${target.proxy.create} } from '${target.proxy.packageName}'` : '',
    referencesDeclared: required.map(({ name }) => `let ${name}: string`).join('\n'),
    referencesFound: required
      .map((field) => referenceFound(target, field, tableReferredBy(field) ?? Table))
      .join('\n'),
    proxyTest: target.proxy ? renderPart('proxy-test.ts', names) : '',
    referenceTest,
  }
}

const articleOf = (name: string): string => (/^[aeiou]/.test(name) ? 'an' : 'a')

/** Those of the names that a text uses, for an import. */
const used = (names: readonly string[], text: string): string =>
  names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(', ')

const memberOf = ({ name, schema, isRequired }: EntityField): string =>
  `${name}: ${schema}${isRequired ? '' : '.nullish()'},`

function columnOf(field: EntityField, hasSchema: boolean): string {
  const { name, columnType, columnOptions, type, isRequired, reference } = field
  // Schema scripts refuse to delete rows that others refer to.
  const refuses = hasSchema && reference && isRequired ? ", onDelete: 'no action'" : ''
  const options = columnOptions && `, { ${columnOptions}${refuses} }`
  return isRequired
    ? `@Column(${columnType}${options}) declare ${name}: ${type}`
    : `@OptionalColumn(${columnType}${options}) declare ${name}: ${type} | null`
}

/** The fields that a lookup shows as code and name: those of that name, else the first required texts; undefined without one. */
function lookupOf(fields: readonly EntityField[]): { code: string; name: string } | undefined {
  const texts = fields.filter(({ isSearched, isRequired }) => isSearched && isRequired)
  const code = texts.find(({ name }) => name === 'code') ?? texts.find(({ isUnique }) => isUnique) ?? texts[0]
  const name = texts.find((field) => field.name === 'name') ?? texts.find((field) => field !== code) ?? code
  return code && name && { code: code.name, name: name.name }
}

/**
 * The options of the `CrudService` of a new entity: the searched attributes and the members of its lookup.
 */
function crudOptionsOf(
  searched: readonly string[],
  shown: { code: string; name: string } | undefined,
): string {
  const lookup = Object.entries(shown ?? {}).flatMap(([member, name]) =>
    member === name ? [] : `${member}: '${name}'`,
  )
  const options = [
    ...(searched.length ? [`searchIn: [${searched.join(', ')}]`] : []),
    ...(lookup.length ? [`lookup: { ${lookup.join(', ')} }`] : []),
  ]
  return options.length ? `, { ${options.join(', ')} }` : ''
}

/** The indexes and checks of an entity, as its migration or schema script makes them. */
function optionsOf(fields: readonly EntityField[]): string {
  const indexes = fields.flatMap(({ name, isUnique, reference }) =>
    isUnique
      ? `{ attributes: ['${name}'], unique: true, where: '"IsDeleted" = false' }`
      : reference
        ? `{ attributes: ['${name}'] }`
        : [],
  )
  const checks = fields.flatMap((field) =>
    field.check ? `${columnName(field)}: \`${conditionOf(field)}\`` : [],
  )
  const options = [
    ...(indexes.length ? [`indexes: [${indexes.join(', ')}]`] : []),
    ...(checks.length ? [`checks: { ${checks.join(', ')} }`] : []),
  ]
  return options.length ? `, { ${options.join(', ')} }` : ''
}

const columnName = ({ name }: EntityField): string => capitalized(name)
const conditionOf = (field: EntityField): string => `"${columnName(field)}" ${field.check}`

const sqlColumnOf = (field: EntityField): string =>
  `"${columnName(field)}" ${field.sqlType}${field.isRequired ? ' not null' : ''},`

function sqlConstraintsOf(field: EntityField, table: string, principal: string | undefined): string[] {
  const column = columnName(field)
  return [
    ...(principal
      ? [
          `constraint "${databaseName(`FK_${table}_${principal}_${column}`)}" foreign key ("${column}") references "${principal}" ("Id"),`,
        ]
      : []),
    ...(field.check
      ? [`constraint "${databaseName(`CK_${table}_${column}`)}" check (${conditionOf(field)}),`]
      : []),
  ]
}

function sqlIndexesOf(field: EntityField, table: string): string[] {
  if (!field.isUnique && !field.reference) return []
  const column = columnName(field)
  const unique = field.isUnique ? 'unique ' : ''
  const where = field.isUnique ? ' where "IsDeleted" = false' : ''
  return [
    `create ${unique}index "${databaseName(`IX_${table}_${column}`)}" on "${table}" ("${column}")${where};`,
  ]
}

/** PostgreSQL cuts longer names off. */
function databaseName(name: string): string {
  if (name.length <= 63) return name
  throw new InputError(
    `${name} is longer than the 63 characters of a name in the database: choose a shorter name`,
  )
}

/** The line of a test that finds or makes a row to refer to. */
function referenceFound({ database }: TargetModule, { name }: EntityField, table: string): string {
  return `${name} = await someRow(app.host.get(Databases).named('${database}'), '${table}')`
}
