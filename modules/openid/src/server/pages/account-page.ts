import type { TextReference } from '@keel/framework/contracts'
import type { Provider } from 'oidc-provider'
import type { Context } from '../requests/context.js'

/** A request to one of the server's own pages. */
export interface PageRequest {
  readonly ctx: Context
  readonly provider: Provider
  /** What stands behind the page's path: the id of the sign-in that is under way. */
  readonly id?: string | undefined
}

/** One of the server's own pages, by its path. {@link PageRouter} asks it. */
export interface AccountPage {
  readonly path: string
  /** Whether only somebody who is signed in sees it; others are sent to sign in first, also with a form. */
  readonly needsSignIn?: boolean
  /** Whether an id may stand behind the path. */
  readonly takesId?: boolean
  /** The file that its form may bring, and what is told of one that is larger. */
  readonly upload?: { readonly field: string; readonly maxBytes: number; readonly tooLarge: TextReference }
  /** Shows the page; `problem` says why its form was not taken. */
  show(request: PageRequest, problem?: TextReference): Promise<void>
  /** Takes the page's form, which is known to come from the page in this browser. */
  answer?(request: PageRequest, form: URLSearchParams, file?: File): Promise<void>
}
