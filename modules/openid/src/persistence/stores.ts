import { raw, StoreOf } from '@keel/framework/data'
import { OpenIddictApplication } from '../domain/application.js'
import { OpenIddictScope } from '../domain/scope.js'

/** Loads and writes scopes that are not deleted. */
export class ScopeStore extends StoreOf(OpenIddictScope) {
  all(): Promise<OpenIddictScope[]> {
    return this.where(raw('true'))
  }
}

/** Loads and writes clients that are not deleted. */
export class ApplicationStore extends StoreOf(OpenIddictApplication) {}
