/** The names of a new module and its first entity, in the forms that files need. */
export interface ModuleNames {
  /** `fleet` */
  readonly module: string
  /** `Fleet` */
  readonly Module: string
  /** `vehicle` */
  readonly entity: string
  /** `Vehicle` */
  readonly Entity: string
  /** `vehicles` */
  readonly entities: string
  /** `Vehicles` */
  readonly Entities: string
  /** Of the entities in code: `vehicles`; `fuelCards`. */
  readonly variable: string
  /** Of all packages. */
  readonly version: string
}

const verbs: Readonly<Record<string, readonly [string, string, string, string]>> = {
  en: ['view', 'create', 'edit', 'delete'],
  de: ['ansehen', 'anlegen', 'bearbeiten', 'löschen'],
  es: ['ver', 'crear', 'editar', 'eliminar'],
  fr: ['voir', 'créer', 'modifier', 'supprimer'],
  tr: ['görüntüle', 'oluştur', 'düzenle', 'sil'],
  'zh-Hans': ['查看', '创建', '编辑', '删除'],
}

/** The files of a new module by their path from the root of the repository. */
export function moduleFiles(names: ModuleNames): Readonly<Record<string, string>> {
  const { module, entity, entities } = names
  const folder = `modules/${module}`
  return {
    [`${folder}/package.json`]: packageJson(names),
    [`${folder}/tsconfig.json`]: tsconfigJson,
    [`${folder}/README.md`]: readme(names),
    [`${folder}/src/${module}.module.ts`]: moduleFile(names),
    [`${folder}/src/contracts/index.ts`]: `export * from './${entities}.js'\nexport * from './${module}.js'\n`,
    [`${folder}/src/contracts/${module}.ts`]: remoteService(names),
    [`${folder}/src/contracts/${entities}.ts`]: contract(names),
    [`${folder}/src/domain/${entity}.ts`]: entityFile(names),
    [`${folder}/src/application/${entity}-service.ts`]: service(names),
    ...Object.fromEntries(
      Object.keys(verbs).map((culture) => [`${folder}/localization/${culture}.json`, texts(names, culture)]),
    ),
    [`test/src/${module}/${entities}.test.ts`]: test(names),
  }
}

const packageJson = ({ module, Module, version }: ModuleNames): string => `{
  "name": "@keel/${module}",
  "version": "${version}",
  "description": "${Module}",
  "license": "MIT",
  "type": "module",
  "engines": {
    "node": ">=20.19.0"
  },
  "exports": {
    ".": {
      "source": "./src/${module}.module.ts",
      "types": "./dist/${module}.module.d.ts",
      "default": "./dist/${module}.module.js"
    },
    "./contracts": {
      "source": "./src/contracts/index.ts",
      "types": "./dist/contracts/index.d.ts",
      "default": "./dist/contracts/index.js"
    }
  },
  "files": [
    "dist",
    "localization",
    "src",
    "!**/*.test.*",
    "!dist/**/*.tsbuildinfo"
  ],
  "scripts": {
    "prepack": "tsc -b"
  },
  "publishConfig": {
    "access": "public"
  },
  "dependencies": {
    "@keel/framework": "${version}",
    "@keel/identity": "${version}"
  }
}
`

const tsconfigJson = `{
  "extends": "../../tsconfig.base.json",
  "compilerOptions": {
    "rootDir": "src",
    "outDir": "dist",
    "tsBuildInfoFile": "dist/.tsbuildinfo"
  },
  "include": ["src"],
  "references": [
    {
      "path": "../../framework"
    },
    {
      "path": "../../modules/identity"
    }
  ]
}
`

const readme = ({ module, Module, Entity, entities }: ModuleNames): string => `# @keel/${module}

${Module}: ${entities}, under \`/api/${module}\`.

| Door | Holds |
| --- | --- |
| \`@keel/${module}\` | \`${Module}Module\` |
| \`@keel/${module}/contracts\` | \`${Entity}AppService\`, its data and permissions |

Permissions: \`${Entity}.View\`, \`.Create\`, \`.Edit\`, \`.Delete\`. The table is in the Default database. No settings.
`

const remoteService = ({
  module,
  Module,
}: ModuleNames): string => `import { remoteService } from '@keel/framework/contracts'

/** The remote service of this module: routes under \`/api/${module}\`. */
export const ${Module} = remoteService('${Module}', '${module}')
`

const contract = ({
  module,
  Module,
  Entity,
  entity,
  entities,
}: ModuleNames): string => `import { AppService, crud, crudPermissions, EntityDto, InputOf, PermissionGroup, z } from '@keel/framework/contracts'
import { DefaultCustomer, OperationsManager } from '@keel/identity/contracts'
import { ${Module} } from './${module}.js'

/** What may be done with ${entities}. */
@PermissionGroup('${Module}')
export class ${Entity}Permissions extends crudPermissions('${Entity}', {
  View: [DefaultCustomer],
  Create: [OperationsManager],
  Edit: [OperationsManager],
  Delete: [OperationsManager],
}) {}

/** A ${entity}. */
export class ${Entity}Dto extends EntityDto({
  code: z.string().regex(/^[A-Z0-9]{2,10}$/, 'expected 2 to 10 upper-case letters and digits'),
  name: z.string().trim().min(1).max(100),
}) {}

/** What a ${entity} is created and changed with. */
export class ${Entity}Input extends InputOf(${Entity}Dto) {}

/** The ${entities}, by code. */
export abstract class ${Entity}AppService extends AppService(${Module}, '${Entity}AppService', crud(${Entity}Dto, ${Entity}Input)) {}
`

const entityFile = ({
  Module,
  Entity,
  Entities,
  entity,
}: ModuleNames): string => `import { Column, DataType, Entity, FullyAuditedEntity } from '@keel/framework/data'

/** A ${entity}. */
@Entity('${Module}${Entities}', { indexes: [{ attributes: ['code'], unique: true, where: '"IsDeleted" = false' }] })
export class ${Entity} extends FullyAuditedEntity {
  @Column(DataType.STRING(10)) declare code: string
  @Column(DataType.STRING(100)) declare name: string
}
`

const service = ({
  Entity,
  entity,
  entities,
}: ModuleNames): string => `import { AutoApiController } from '@keel/framework'
import { CrudService } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { ${Entity}AppService, ${Entity}Permissions } from '../contracts/${entities}.js'
import { ${Entity} } from '../domain/${entity}.js'

@AutoApiController(${Entity}AppService)
@RequiresPermission(${Entity}Permissions)
export class ${Entity}Service extends CrudService(${Entity}AppService, ${Entity}, { searchIn: ['code', 'name'] }) {}
`

const moduleFile = ({
  Module,
  Entity,
  entity,
  entities,
}: ModuleNames): string => `import { KeelModule, Module } from '@keel/framework'
import { DataModule } from '@keel/framework/data'
import { ${Entity}Service } from './application/${entity}-service.js'
import { ${Entity}Permissions } from './contracts/${entities}.js'
import { ${Entity} } from './domain/${entity}.js'

/** ${Module}: the ${entities}. */
@Module({
  name: '${Module}',
  dependsOn: [DataModule],
  entities: [${Entity}],
  services: [${Entity}Service],
  permissions: [${Entity}Permissions],
  localization: new URL('../localization/', import.meta.url),
})
export class ${Module}Module extends KeelModule {}
`

function texts({ Module, Entity, Entities }: ModuleNames, culture: string): string {
  const names = ['View', 'Create', 'Edit', 'Delete']
  const actions = (verbs[culture] ?? []).map((verb, index) => [
    `Permission:${Entity}.${names[index]}`,
    `${Entities} – ${verb}`,
  ])
  return `${JSON.stringify({ [`Permission:${Module}`]: Module, ...Object.fromEntries(actions) }, undefined, 2)}\n`
}

const test = ({
  module,
  Entity,
  entity,
  entities,
  variable,
}: ModuleNames): string => `import { DefaultCustomer, OperationsManager } from '@keel/identity/contracts'
import { ${Entity}AppService } from '@keel/${module}/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test('a ${entity} is created, found, changed and deleted', async () => {
  const ${variable} = (await app.as({ roles: [OperationsManager] })).service(${Entity}AppService)
  const created = await ${variable}.create({ code: 'ONE', name: 'First' })
  expect(created).toMatchObject({ code: 'ONE', name: 'First' })
  expect(await ${variable}.get(created.id)).toEqual(created)
  const changed = await ${variable}.update(created.id, { code: 'ONE', name: 'Second' })
  expect(changed.name).toBe('Second')
  expect(await ${variable}.getList({})).toMatchObject({ totalCount: 1, items: [{ name: 'Second' }] })
  await ${variable}.delete(created.id)
  expect(await ${variable}.getList({})).toEqual({ totalCount: 0, items: [] })
})

test('a customer may see ${entities} and not create them', async () => {
  const ${variable} = (await app.as({ roles: [DefaultCustomer] })).service(${Entity}AppService)
  expect(await ${variable}.getList({})).toMatchObject({ totalCount: 0 })
  await expect(${variable}.create({ code: 'TWO', name: 'Other' })).rejects.toMatchObject({ status: 403 })
})
`
