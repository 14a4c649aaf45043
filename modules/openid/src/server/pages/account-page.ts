import type { TextReference } from '@keel/framework/contracts'
import type { Account } from '@keel/identity/contracts'
import type { Provider } from 'oidc-provider'
import type { Context } from '../requests/context.js'

/** A request to one of the server's own pages. */
export interface PageRequest {
  readonly ctx: Context
  readonly provider: Provider
  /** The segment behind the page's path: the id of the sign-in that is under way. */
  readonly id?: string | undefined
}

/** The account that a browser is signed in to. */
export interface BrowserAccount extends Account {
  /** The last time that the person proved in this browser who they are. */
  readonly provenAt: Date
}

/** A request to a page that needs a sign-in. The router found the account. */
export interface SignedInRequest extends PageRequest {
  readonly account: BrowserAccount
}

/** One of the server's own pages. {@link PageRouter} finds it by its path. */
export interface AccountPage<R extends PageRequest = PageRequest> {
  readonly path: string
  /**
   * True for pages of a {@link SignedInRequest}. People who are not signed in are sent to sign in first, also
   * with a form.
   */
  readonly needsSignIn?: boolean
  /** True when an id may follow the path. */
  readonly takesId?: boolean
  /** The file that the page's form may bring, and the text for a file that is too large. */
  readonly upload?: { readonly field: string; readonly maxBytes: number; readonly tooLarge: TextReference }
  /**
   * Shows the page.
   * @param problem the reason why the router refused the page's form
   * @param typed the fields of a form that was refused for its file, as far as they stand before that
   */
  show(request: R, problem?: TextReference, typed?: URLSearchParams): Promise<void>
  /** Takes the page's form. The router has checked that the form comes from this page in this browser. */
  answer?(request: R, form: URLSearchParams, file?: File): Promise<void>
}

/** A page of a user who is signed in. */
export interface SignedInPage extends AccountPage<SignedInRequest> {
  readonly needsSignIn: true
}
