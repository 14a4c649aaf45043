import { openSync, writeSync } from 'node:fs'
import { ApiHost } from '@keel/api-host'
import {
  Application,
  AutoApiController,
  ambient,
  KeelModule,
  Module,
  type ModuleContext,
  runHost,
} from '@keel/framework'
import { type AnyAppService, AppService, Dto, op, remoteService, z } from '@keel/framework/contracts'
import { Databases, type Statement, toStatement } from '@keel/framework/data'
import { AllowAnonymous, Authenticated } from '@keel/framework/security'

class EchoDto extends Dto({ text: z.string(), number: z.int() }) {}

/** An operation that does nothing: what is left is the framework. */
abstract class EchoAppService extends AppService(remoteService('Bench', 'bench'), 'EchoAppService', {
  getEcho: op().returns(EchoDto),
  getOpenEcho: op().returns(EchoDto),
}) {}

@AutoApiController(EchoAppService)
class EchoService implements EchoAppService {
  @Authenticated()
  async getEcho(): Promise<EchoDto> {
    return { text: 'Hello from Keel', number: 42 }
  }

  @AllowAnonymous()
  async getOpenEcho(): Promise<EchoDto> {
    return this.getEcho()
  }
}

/** As many services with ten operations each as make a large application, so that finding an operation among many is measured too. */
const others = Array.from({ length: 30 }, (_, number) => {
  const name = `Other${number}AppService` as const
  const operations = Object.fromEntries(
    Array.from({ length: 10 }, (_unused, index) => [`getThing${index}`, op().returns(EchoDto)] as const),
  )
  const contract = class extends AppService(remoteService('Bench', 'bench'), name, operations) {}
  class OtherService {}
  for (const operation of Object.keys(operations))
    Object.defineProperty(OtherService.prototype, operation, { value: EchoService.prototype.getEcho })
  AutoApiController(contract as AnyAppService)(OtherService)
  Authenticated()(OtherService)
  return OtherService
})

/** The API host with some operations more; notes the statements it sends while `BENCH_STATEMENTS` names a file for them. */
@Module({ dependsOn: [ApiHost], services: [EchoService, ...others] })
class BenchHost extends KeelModule {
  override onPostApplicationInitialization({ application }: ModuleContext): void {
    const file = process.env.BENCH_STATEMENTS
    if (file) recordStatements(application, file)
  }
}

function recordStatements(application: Application, file: string): void {
  // Written before the answer is: whoever has the answer finds the statement.
  const out = openSync(file, 'w')
  for (const database of application.get(Databases).all) {
    // What jobs and events do meanwhile belongs to no path.
    const note = ({ text, values, name }: Statement) =>
      ambient().principal.userId !== undefined &&
      writeSync(out, `${JSON.stringify({ database: database.name, text, values, name })}\n`)
    const queryText = database.queryText.bind(database)
    const queryForCaller = database.queryForCaller.bind(database)
    const queryList = database.queryList.bind(database)
    const queryListText = database.queryListText.bind(database)
    database.queryText = (statement, view) => {
      note(statement)
      return queryText(statement, view)
    }
    database.queryForCaller = (statement) => {
      note(statement)
      return queryForCaller(statement)
    }
    database.queryList = (statement) => {
      note(toStatement(statement))
      return queryList(statement)
    }
    database.queryListText = (statement) => {
      note(statement)
      return queryListText(statement)
    }
  }
}

await runHost(BenchHost, import.meta.url)
