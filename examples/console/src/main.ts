// Signs in with a password, creates a shipment and lists what departs next. Calls are repeated by themselves where that is safe.
import {
  createHubProxy,
  EntityNotFoundError,
  passwordLogin,
  ShipmentStatus,
  ValidationError,
} from '@keel/hub-proxy'

const { API_URL = 'http://localhost:4000', AUTH_URL = 'http://localhost:4001' } = process.env
const { KEEL_USER = 'admin', KEEL_PASSWORD = '1q2w3E*' } = process.env

const login = passwordLogin({
  authority: AUTH_URL,
  clientId: 'Core_App',
  scope: 'Core',
  userName: KEEL_USER,
  password: KEEL_PASSWORD,
})
// With a key of its own a creation may be sent twice and happens once.
const hub = createHubProxy({ baseUrl: API_URL, accessToken: login, language: 'en', idempotencyKey: true })

const created = await hub.shipments.create({
  shipmentReference: `EXAMPLE-${Date.now()}`,
  estimatedDeparture: new Date(Date.now() + 86_400_000),
  totalPackages: 12,
})
console.log(`created ${created.shipmentReference}, ${ShipmentStatus[created.status]}`)

try {
  await hub.shipments.create({ shipmentReference: '', totalPackages: -1 })
} catch (error) {
  if (!(error instanceof ValidationError)) throw error
  for (const { members, message } of error.validationErrors)
    console.log(`refused ${members.join()}: ${message}`)
}

const { items, totalCount } = await hub.shipments.query((q) =>
  q
    .filter((s) => s.id.eq(created.id))
    .select('shipmentReference', 'totalPackages')
    .count(),
)
for (const { shipmentReference, totalPackages } of items)
  console.log(`found ${totalCount}: ${shipmentReference} with ${totalPackages} packages`)

await hub.shipments.delete(created.id)
await hub.shipments.get(created.id).catch((error: unknown) => {
  if (!(error instanceof EntityNotFoundError)) throw error
  console.log('deleted')
})
