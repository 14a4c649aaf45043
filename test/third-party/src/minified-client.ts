import {
  BusinessError,
  createHubProxy,
  EntityNotFoundError,
  ForbiddenError,
  type HubProxy,
  ValidationError,
} from '@keel/hub-proxy'

/** What a page of a minified build learned by calling the API. */
export interface PageFindings {
  readonly ports: readonly string[]
  readonly byQuery: readonly string[]
  readonly refused: readonly ErrorFinding[]
}

/** An error as an application sees it: by its name, and by the class it compares with. */
export interface ErrorFinding {
  readonly name: string
  readonly isInstance: boolean
}

const nowhere = '00000000-0000-4000-8000-000000000000'

/** Calls services, an entity set and what is refused. The page that runs this file is built by bundlers that rename every class. */
async function callApi(baseUrl: string, token: string): Promise<PageFindings> {
  const hub = createHubProxy({ baseUrl, accessToken: () => token })
  const { items } = await hub.ports.getList({ filter: 'DEHAM' })
  const found = await hub.ports.query((q) => q.filter((port) => port.unLocode.eq('DEHAM')).top(1))
  return {
    ports: items.map(({ unLocode }) => unLocode),
    byQuery: found.items.map(({ unLocode }) => unLocode),
    refused: await refusals(hub),
  }
}

function refusals(hub: HubProxy): Promise<ErrorFinding[]> {
  const byReference = { shipmentReference: 'M-1' }
  return Promise.all([
    errorOf(() => hub.shipments.create({ shipmentReference: '' }), ValidationError),
    errorOf(() => hub.shipments.get(nowhere), EntityNotFoundError),
    errorOf(() => hub.codeEntities.delete(nowhere), ForbiddenError),
    errorOf(
      () => hub.shipments.create(byReference).then(() => hub.shipments.create(byReference)),
      BusinessError,
    ),
  ])
}

async function errorOf(
  call: () => Promise<unknown>,
  type: abstract new (...args: never[]) => Error,
): Promise<ErrorFinding> {
  try {
    await call()
  } catch (error) {
    return { name: (error as Error).name, isInstance: error instanceof type }
  }
  return { name: 'nothing was thrown', isInstance: false }
}

Object.assign(globalThis, { callApi })
