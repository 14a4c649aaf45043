import { compileReader } from '../contracts/wire.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import type { LocalService } from '../modularity/service-bindings.js'
import { StartupError } from '../modularity/startup-error.js'
import { type JobContext, type JobMethod, jobMethodsOf } from './job-handler.js'

/** A kind of job that this process can do. */
export interface JobKind {
  readonly name: string
  readonly maxTries: number
  readonly isLong: boolean
  readonly runsAs: 'system' | 'user'
  readonly recurring: JobMethod['recurring']
  run(args: string, context: JobContext): Promise<void>
}

type Run = (...args: unknown[]) => Promise<void>

/** The kinds of jobs that the modules of this process can do. */
@Injectable()
export class JobKinds {
  readonly all: readonly JobKind[]
  private readonly byName: ReadonlyMap<string, JobKind>

  constructor(application: Application) {
    this.all = application.services.flatMap(({ service, module }) =>
      jobMethodsOf(service).flatMap(({ method, argsOf, ...one }) => {
        const call: Run = async (...values) =>
          (application.get(service) as Record<string, Run>)[method]?.(...values)
        const kindOf = ({ args, recurring }: Omit<JobMethod, 'method'>, local?: LocalService): JobKind => ({
          name: args?.jobName ?? `${module.name}.${service.name}.${method}`,
          maxTries: args?.jobOptions.maxTries ?? (recurring ? 3 : 10),
          isLong: args?.jobOptions.isLong ?? false,
          runsAs: args?.jobOptions.runsAs ?? 'system',
          recurring,
          run: (text: string, context: JobContext) =>
            args
              ? call(
                  new args(args.schema.parse(compileReader(args.schema)(JSON.parse(text)))),
                  context,
                  local,
                )
              : call(context),
        })
        if (!argsOf) return [kindOf(one)]
        return application.localServices.flatMap((local) => {
          const args = argsOf(local)
          return args ? [kindOf({ args }, local)] : []
        })
      }),
    )
    this.byName = new Map(this.all.map((kind) => [kind.name, kind]))
    const repeated = this.all.find((kind) => this.byName.get(kind.name) !== kind)
    if (repeated) throw new StartupError(`The job ${repeated.name} is done by two methods. Keep one.`)
  }

  named(name: string): JobKind | undefined {
    return this.byName.get(name)
  }

  get names(): readonly string[] {
    return [...this.byName.keys()]
  }

  /** The names of those whose jobs can take long. */
  get namesOfLong(): readonly string[] {
    return this.all.filter(({ isLong }) => isLong).map(({ name }) => name)
  }

  /** The names of those whose jobs end soon. */
  get namesOfShort(): readonly string[] {
    return this.all.filter(({ isLong }) => !isLong).map(({ name }) => name)
  }
}
