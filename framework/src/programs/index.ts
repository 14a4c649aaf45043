// For programs that start the others: they load none of the framework but this.
export { type DatabaseServer, ensureDatabases } from '../data/connections/database-server.js'
export { parseConnectionString } from '../data/wire/connection-string.js'
export { programIn } from '../modularity/bundled-places.js'
export { environmentOf } from '../modularity/environment.js'
