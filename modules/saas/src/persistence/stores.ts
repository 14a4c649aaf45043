import { StoreOf } from '@keel/framework/data'
import { Edition } from '../domain/edition.js'
import { Tenant } from '../domain/tenant.js'

/** Loads and writes editions that are not deleted. */
export class EditionStore extends StoreOf(Edition) {}

/** Loads and writes tenants that are not deleted. */
export class TenantStore extends StoreOf(Tenant) {}
