import { existsSync, readdirSync } from 'node:fs'
import { InputError } from '../modularity/input-error.js'
import { addModule } from './module-new.js'
import { checkName, pascal } from './names.js'
import { frameworkVersion } from './repository.js'
import { StagedFiles } from './staged-files.js'
import { renderTemplates } from './templates.js'

/** The wish for a solution. */
export interface SolutionRequest {
  /** In kebab-case; its packages are `@name/…`. */
  readonly name: string
  /** False: without Hub, Pricing and Core. */
  readonly hub: boolean
  /** False: without Pricing. */
  readonly pricing: boolean
}

/** The version of Biome, formatter and linter, that a solution is written with. */
export const biomeVersion = '2.5.15'

/** The version of a new solution's own packages. */
const firstVersion = '0.1.0'

/** The platform's modules of an API host: from a door of a package, in the order in which they are listed. */
const platform: readonly (readonly [door: string, ...modules: readonly string[]])[] = [
  ['@keel/framework/http', 'HttpModule', 'DocsUiModule', 'AbpModule', 'AbpApiDefinitionModule'],
  ['@keel/framework/odata', 'ODataModule'],
  ['@keel/framework/security', 'SecurityModule'],
  ['@keel/background-work', 'BackgroundWorkModule'],
  ['@keel/framework/mail', 'MailQueueModule'],
  ['@keel/identity/api', 'IdentityApiModule'],
  ['@keel/account', 'AccountModule'],
  ['@keel/permission-management', 'PermissionManagementModule'],
  ['@keel/api-keys', 'ApiKeysModule'],
  ['@keel/setting-management', 'SettingManagementModule'],
  ['@keel/feature-management', 'FeatureManagementModule'],
  ['@keel/saas', 'SaasModule'],
  ['@keel/audit-logging', 'AuditLoggingModule'],
  ['@keel/openid/management', 'OpenIdManagementModule'],
]

/** Vehicles with a database of their own, and gates in the Default database. */
const examples = [
  {
    module: 'fleet',
    entity: 'vehicle',
    database: 'Fleet',
    fields:
      'plate:string(20)! unique, name:string(100)!, kind:enum(Van|Truck|Trailer)!, payloadKg:int, inServiceSince:date',
  },
  { module: 'yard', entity: 'gate', fields: 'code:string(10)! unique, name:string(100)!, isOpen:bool!' },
]

/**
 * Writes a solution of one's own into an empty folder: hosts, migrator, tests, and two modules with an entity each. Throws, before anything is
 * written, when the name can't be used or the folder holds something. The files are as their formatter wants them once it has run.
 */
export function writeSolution(request: SolutionRequest, directory: string): void {
  checkName(request.name)
  if (request.name === 'keel')
    throw new InputError('@keel is the scope of the framework: choose another name')
  const found = existsSync(directory) ? readdirSync(directory).filter((name) => name !== '.git') : []
  if (found.length)
    throw new InputError(`${directory} is not empty: it holds ${found.slice(0, 3).join(', ')}`)
  const files = StagedFiles.in(directory)
  for (const [path, text] of Object.entries(renderTemplates('solution', valuesOf(request))))
    files.create(path, text)
  for (const example of examples) addModule(files, example)
  files.write()
}

function valuesOf({ name, hub, pricing }: SolutionRequest) {
  const version = frameworkVersion()
  const logistics: typeof platform = hub
    ? [
        ['@keel/core', 'CoreModule'],
        ['@keel/hub', 'HubModule'],
        ...(pricing ? ([['@keel/pricing', 'PricingModule']] as const) : []),
      ]
    : []
  const modules = [...platform, ...logistics]
  const imports = [
    ['@keel/framework', 'KeelModule', 'Module'],
    ['@keel/migrator/migrations', 'migrations'],
    ...modules,
  ] as const
  const packages = new Set(imports.map(([door]) => door.split('/').slice(0, 2).join('/')))
  const databases = ['Default', ...(hub ? ['Hub'] : []), ...(hub && pricing ? ['Pricing'] : [])]
  return {
    name,
    Name: pascal(name),
    scope: `@${name}`,
    version: firstVersion,
    frameworkVersion: version,
    biomeVersion,
    // Files of tests are left out of packages: the name of a template says it in another way.
    test: 'test',
    databases: databases.map((database) => `"${database}"`).join(', '),
    firstCall: '/api/fleet/vehicle?MaxResultCount=2',
    apiDependencies: [...packages]
      .sort()
      .map((dependency) => `"${dependency}": "${version}"`)
      .join(',\n'),
    apiImports: [...imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([door, ...names]) => `import { ${names.join(', ')} } from '${door}'`)
      .join('\n'),
    apiModules: modules.flatMap(([, ...names]) => names.map((one) => `${one},`)).join('\n'),
  }
}
