// Who may import whom: the table in CONTRIBUTING.md as rules. Run by .ci/layers.mjs (`npm run layers`).
const layer = (name) => `^modules/([^/]+)/src/${name}/`
const contracts = '^modules/[^/]+/src/contracts/'
/** Row rules that a module offers to others; made of its contracts alone. */
const rulesForOthers = '^modules/hub/src/organizations[.]module[.]ts$'
const frameworkContracts = '^framework/src/contracts/'
const frameworkClient = '^framework/src/client/'
const zod = '/node_modules/zod/|^node_modules/zod/'
const proxyImports = ['^proxies/', contracts, frameworkContracts, frameworkClient, zod]
const tests = '[.]test[.]ts$'
const anything = ''
const aPackage = '^((?:modules|hosts|proxies)/[^/]+|framework|migrator|test)/'
const doors = [
  '^framework/src/[^/]+/index[.]ts$',
  '^modules/[^/]+/src/([^/]+[.]module|[^/]+/index)[.]ts$',
  '^proxies/[^/]+/src/index[.]ts$',
  '^hosts/[^/]+/src/[^/]+-host[.]ts$',
  '^hosts/embedded-postgres/src/index[.]ts$',
  '^hosts/dev/src/testing[.]ts$',
  '^migrator/src/migrations/index[.]ts$',
  '^migrator/src/(index|schema/index)[.]ts$',
]

/** The rooms of the framework, the lowest first: each imports those below it, and nothing above. */
const rooms = [
  'contracts',
  'client',
  'spreadsheets',
  'modularity',
  'telemetry',
  'auditing',
  'blobs',
  'data/wire',
  'data/entities',
  'data/change-feed',
  'data/query',
  'data/connections',
  'data/lists',
  'data/schema',
  'data/stores',
  'data',
  'data-protection',
  'caching',
  'live',
  'security',
  'events',
  'jobs',
  'imports',
  'sms',
  'mail',
  'texts',
  'exports',
  'http/server',
  'http/operations',
  'http/host',
  'http/live',
  'http/openapi',
  'http/abp',
  'http/idempotency',
  'http',
  'odata/syntax',
  'odata/model',
  'odata/binding',
  'odata/plans',
  'odata/answers',
  'odata',
  'programs',
  'testing',
  'cli',
]
/** The rooms of the auth server in modules/openid, the lowest first. The last one is the folder of the rooms itself. */
const serverRooms = [
  'requests',
  'keys',
  'clients',
  'grants',
  'tokens',
  'storage',
  'grant-types',
  'pages',
  'passkeys',
  'external',
  'sign-in',
  'registration',
  'account',
  '',
]
/** The files of a room: those of rooms inside it are not among them. */
const filesOf = (room, among) =>
  room === ''
    ? '[^/]+[.]ts$'
    : among.some((other) => other.startsWith(`${room}/`))
      ? `${room}/[^/]+[.]ts$`
      : `${room}/`

const error = (name, from, to, except = []) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: tests },
  to: { path: to, pathNot: except },
})

/** The rules of rooms below a folder: no file imports a room above its own, types included, and each file is in a room. */
const lookDown = (name, folder, among) => [
  ...among.slice(0, -1).map((room, index) =>
    error(
      `${name}-${room.replace('/', '-')}-looks-down`,
      `^${folder}${filesOf(room, among)}`,
      `^${folder}(${among
        .slice(index + 1)
        .map((above) => filesOf(above, among))
        .join('|')})`,
    ),
  ),
  error(
    `${name}-has-rooms`,
    anything,
    `^${folder}`,
    among.map((room) => `^${folder}${filesOf(room, among)}`),
  ),
]

module.exports = {
  forbidden: [
    { name: 'no-cycles', comment: 'Types count too.', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      comment:
        'The packages of test/third-party and of the admin UI are installed only when they are needed.',
      severity: 'error',
      from: { pathNot: '^(test/third-party|hosts/admin/ui)/' },
      to: { couldNotResolve: true },
    },
    error('through-the-doors', aPackage, '^(framework|modules|hosts|proxies|migrator|test)/', [
      '^$1/',
      ...doors,
    ]),
    error('framework-knows-no-module', '^framework/', '^(modules|hosts|proxies|migrator|test)/'),
    ...lookDown('framework', 'framework/src/', rooms),
    ...lookDown('auth-server', 'modules/openid/src/server/', serverRooms),
    error('framework-contracts-stay-light', frameworkContracts, anything, [frameworkContracts, zod]),
    error('framework-client-stays-light', frameworkClient, anything, [
      frameworkClient,
      frameworkContracts,
      zod,
    ]),
    error(
      'admin-ui-speaks-through-proxies',
      '^hosts/admin/ui/',
      '^(framework|modules|hosts|migrator|test)/',
      ['^hosts/admin/ui/'],
    ),
    error(
      'embedded-postgres-stays-in-development',
      '^(framework|modules|proxies|migrator|hosts/(api|auth|schema))/',
      '^hosts/embedded-postgres/',
    ),
    error('only-hosts-compose', '^(modules|proxies)/', '^(hosts|migrator|test)/'),
    error('proxies-stay-light', '^proxies/(?!react/)', anything, proxyImports),
    error('react-hooks-stay-light', '^proxies/react/', anything, [
      ...proxyImports,
      'node_modules/(@tanstack/react-query|react|@types/react)/',
    ]),
    error('contracts-stay-light', layer('contracts'), anything, [contracts, frameworkContracts, zod]),
    error('domain-looks-down', layer('domain'), '^modules/$1/src/(?!domain/|contracts/)'),
    error(
      'persistence-looks-down',
      layer('persistence'),
      '^modules/$1/src/(application/|[^/]+[.]module[.]ts$)',
    ),
    error('modules-meet-at-contracts', '^modules/([^/]+)/src/(?![^/]+[.]module[.]ts$)', '^modules/(?!$1/)', [
      contracts,
      rulesForOthers,
    ]),
  ],
  options: {
    doNotFollow: { path: ['node_modules'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'types', 'default'],
    },
  },
}
