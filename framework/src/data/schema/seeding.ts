import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { withAmbient } from '../../modularity/ambient.js'
import type { Application } from '../../modularity/application.js'
import type { Constructor } from '../../modularity/class.js'
import type { Configuration } from '../../modularity/configuration.js'
import type { LoadedModule } from '../../modularity/loaded-module.js'
import type { Logger } from '../../modularity/logging.js'
import { system } from '../../modularity/principal.js'
import { StartupError } from '../../modularity/startup-error.js'
import { UnitOfWork } from '../connections/unit-of-work.js'

/** The services that a seeder gets. */
export interface SeedContext {
  readonly configuration: Configuration
  readonly logger: Logger
  readonly isDevelopment: boolean
  /** Options of the command line, e.g. `shipments`; empty in an ordinary run. */
  readonly options: Readonly<Record<string, string>>
  /** Tells the person who waits how far long work is. */
  progress(label: string, done: number, total: number): void
}

/**
 * Writes the rows that a module can't do without. It runs again with every release, so a second run must write nothing. Listed in `seeds`
 * of its module; runs as the program itself, in one unit of work.
 * @example
 * @Injectable()
 * export class RoleSeeder extends Seeder {
 *   constructor(private readonly roles: RoleStore) { super() }
 *   async seed({ isDevelopment }: SeedContext): Promise<void> { … }
 * }
 */
export abstract class Seeder {
  /** Demo seeders only run when they are asked for. */
  static readonly demo: boolean = false
  /** Lower runs earlier among the seeders of one module; those of the modules it depends on have run before. */
  readonly order: number = 0

  /** Throws an `InputError` for options that it can't seed by. Asked of all seeders of a run before the first one writes. */
  check(_options: SeedContext['options']): void {}

  abstract seed(context: SeedContext): Promise<void>
}

/** Options of a run of the seeders. */
export interface SeedRun {
  /** Only the seeders that these modules list; without it those of all modules. */
  readonly modules?: readonly Constructor[]
  /** Which seeders: those every database needs (the default), or those of demo data. */
  readonly kind?: 'reference' | 'demo'
  readonly options?: SeedContext['options']
  readonly progress?: SeedContext['progress']
  /** Runs first in the unit of work of every seeder. */
  readonly begin?: () => Promise<void>
  /** Runs each seeder, e.g. to tell of it. What it logs goes to `logger`, else to the application's. */
  readonly around?: (seeder: SeederName, seed: (logger?: Logger) => Promise<void>) => Promise<void>
}

/** A seeder, for who tells of it. */
export interface SeederName {
  readonly module: string
  readonly name: string
}

type SeederClass = Constructor<Seeder> & { readonly demo: boolean }

/** Runs the seeders of a started application, modules in their order, and answers their names. The first failure ends the run. */
export async function runSeeders(application: Application, run: SeedRun = {}): Promise<string[]> {
  const { configuration, logger } = application
  const context: SeedContext = {
    configuration,
    logger,
    isDevelopment: configuration.isDevelopment,
    options: run.options ?? {},
    progress: run.progress ?? ((label, done, total) => logger.debug({ label, done, total }, 'seeding')),
  }
  const around = run.around ?? logging(logger)
  const names: string[] = []
  const seeders = seedersOf(application, run)
  for (const { seeder } of seeders) seeder.check(context.options)
  for (const { module, seeder } of seeders) {
    const name = seeder.constructor.name
    await around({ module: module.name, name }, (own = logger) =>
      asSystem(() =>
        UnitOfWork.run(async () => {
          await run.begin?.()
          await seeder.seed({ ...context, logger: own })
        }),
      ),
    )
    names.push(name)
  }
  return names
}

function logging(logger: Logger): NonNullable<SeedRun['around']> {
  return async ({ module, name }, seed) => {
    const began = performance.now()
    await seed()
    const durationMs = Math.round(performance.now() - began)
    logger.info({ module, seeder: name, durationMs }, 'seeded')
  }
}

function seedersOf(
  application: Application,
  { modules, kind = 'reference' }: SeedRun,
): { module: LoadedModule; seeder: Seeder }[] {
  const chosen = application.modules.filter(({ type }) => modules?.includes(type) ?? true)
  return chosen.flatMap((module) => {
    const classes = (module.options.seeds ?? []).map((seed) => asSeederClass(seed, module))
    const wanted = classes.filter(({ demo }) => demo === (kind === 'demo'))
    const seeders = wanted.map((seed) => application.get(seed)).sort((a, b) => a.order - b.order)
    return seeders.map((seeder) => ({ module, seeder }))
  })
}

function asSeederClass(seed: Constructor, module: LoadedModule): SeederClass {
  if (seed.prototype instanceof Seeder) return seed as SeederClass
  throw new StartupError(`${seed.name} is listed in seeds of ${module.name} but does not extend Seeder`)
}

function asSystem<T>(work: () => Promise<T>): Promise<T> {
  return withAmbient(
    { correlationId: randomUUID().replaceAll('-', ''), principal: system, culture: 'en' },
    work,
  )
}
