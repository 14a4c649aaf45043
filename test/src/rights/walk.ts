import { randomUUID } from 'node:crypto'
import type { AuthHost } from '../auth/auth-host.js'
import { type App, type AppCaller, provePerson } from '../support/app.js'
import { type Answer, type Sender, send } from '../support/wire.js'

/** What is there to attack: ids and names that an attacker could find out. */
export interface World {
  readonly users: readonly string[]
  readonly roles: readonly { readonly id: string; readonly name: string }[]
  readonly units: readonly string[]
  readonly clients: readonly { readonly id: string; readonly clientId: string }[]
  readonly keys: readonly string[]
  readonly organizations: readonly string[]
  /** The memberships of all users when the walk began. */
  readonly members: readonly string[]
  readonly claimType: string
}

/** Somebody whom the attacker can act as, by a token or a key. */
export interface Controlled {
  readonly kind: 'user' | 'key' | 'client'
  /** User id, the full key, client id. */
  readonly id: string
  /** Of a user, where it is known. */
  readonly password?: string
  readonly sender: Sender
}

/** A sequence of calls of one attacker, with everything that it came to control. */
export class Walk {
  readonly controlled: Controlled[] = []
  readonly steps: string[] = []
  readonly app: App
  readonly auth: AuthHost
  readonly world: World
  readonly admin: AppCaller
  private readonly random: () => number

  constructor(parts: {
    app: App
    auth: AuthHost
    world: World
    admin: AppCaller
    random: () => number
  }) {
    this.app = parts.app
    this.auth = parts.auth
    this.world = parts.world
    this.admin = parts.admin
    this.random = parts.random
  }

  one<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T
  }

  chance(probability: number): boolean {
    return this.random() < probability
  }

  unique(): string {
    return `w-${randomUUID().slice(0, 12)}`
  }

  user(): string {
    const own = this.controlled.filter(({ kind }) => kind === 'user').map(({ id }) => id)
    return this.one([...this.world.users, ...own])
  }

  permission(): string {
    return this.one([...this.app.permissions.keys()])
  }

  /** A call by somebody whom the attacker controls; undefined when it was refused. */
  async call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ by: Controlled; answer: Answer } | undefined> {
    const by = this.one(this.controlled)
    const answer = await send(by.sender, method, path, body)
    this.steps.push(`${by.kind} ${by.id}: ${method} ${path} ${JSON.stringify(body) ?? ''} → ${answer.status}`)
    return answer.status < 300 ? { by, answer } : undefined
  }

  async controlUser(id: string, password?: string): Promise<void> {
    await provePerson(this.app.host, id)
    const sender = await this.app.host.as({ subject: id })
    this.controlled.push({ kind: 'user', id, sender, ...(password && { password }) })
  }

  controlKey(key: string): void {
    const fetch: Sender['fetch'] = (path, init = {}) =>
      this.app.host.fetch(path, { ...init, headers: { ...init.headers, 'x-api-key': key } })
    this.controlled.push({ kind: 'key', id: key, sender: { fetch } })
  }

  async controlClient(clientId: string): Promise<void> {
    const sender = await this.app.host.as({ subject: clientId, clientId })
    this.controlled.push({ kind: 'client', id: clientId, sender })
  }

  /** For what opens every account. */
  async controlEverybody(): Promise<void> {
    for (const id of [...this.world.users, this.admin.userId]) await this.controlUser(id)
  }
}
