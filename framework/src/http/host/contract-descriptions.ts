import type { RequestHandler } from 'express'
import { contractNameOf, operationHash, operationShape } from '../../contracts/operation-shape.js'
import type { Application } from '../../modularity/application.js'
import { queryOf } from '../operations/controllers.js'
import { PreparedBody } from '../server/prepared-body.js'
import { demandSignedIn } from '../server/public-address.js'

/**
 * Describes the contracts that a host serves, for clients that were built with another version of them: with `name`
 * the operations of a contract (`?name=Hub.PortAppService`), else the hashes of all operations.
 */
export function contractDescriptions(application: Application, isPublic: boolean): RequestHandler {
  const about = { keelContract: 1, host: application.name }
  const bodies = new Map<string, PreparedBody>()
  let all: PreparedBody | undefined
  return (request, response, next) => {
    if (request.path !== '/' || !['GET', 'HEAD'].includes(request.method)) return next()
    if (!isPublic) demandSignedIn()
    const { name } = queryOf(request.originalUrl)
    if (name === undefined) {
      all ??= new PreparedBody(() => ({ ...about, ...overview(application) }))
      return all.send(request, response)
    }
    // Only names of contracts that are served are remembered.
    const local = application.localServices.find(({ contract }) => contractNameOf(contract) === name)
    if (!local) return next()
    const operations = [...local.contract.contract.operations.values()]
    const body =
      bodies.get(String(name)) ??
      new PreparedBody(() => ({
        ...about,
        name,
        operations: Object.fromEntries(
          operations.map((one) => [one.name, { hash: operationHash(one), ...operationShape(one) }]),
        ),
      }))
    bodies.set(String(name), body)
    body.send(request, response)
  }
}

function overview({ localServices, interceptors }: Application): object {
  const hashes = localServices.flatMap(({ contract }) =>
    [...contract.contract.operations.values()].map(
      (operation) => [`${contractNameOf(contract)}.${operation.name}`, operationHash(operation)] as const,
    ),
  )
  return {
    takesIdempotencyKeys: interceptors.some(({ step }) => step === 'idempotency key'),
    hashes: Object.fromEntries(hashes.sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
