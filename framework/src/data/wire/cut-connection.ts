import type { Socket } from 'node:net'
import type { ClientBase } from 'pg'

/** What a `pg.Client` knows of its socket, without having types for it. */
interface Wired {
  readonly connection: { readonly stream: Socket }
}

/** Ends a connection at once. A server that does not answer a statement does not answer a farewell either, and what it says later is unexpected. */
export function cutConnection(client: ClientBase): void {
  ;(client as unknown as Wired).connection.stream.destroy()
}
