import { type Sender, send } from './wire.js'

/** A JSON Schema, as far as tests look into it. */
export type Schema = Readonly<Record<string, unknown>>

/** An OpenAPI document, as far as tests look into it. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: readonly { readonly name: string; readonly 'x-displayName': string }[]
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, OpenApiResponse>>
    readonly headers: Readonly<Record<string, OpenApiHeader>>
    readonly securitySchemes: object
  }
}

export interface OpenApiHeader {
  readonly required?: boolean
  readonly schema: Schema
}

export interface OpenApiMedia {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface OpenApiResponse {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, OpenApiHeader | { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, OpenApiMedia>>
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, OpenApiMedia>> }
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  readonly security: readonly object[]
}

/** An operation with where it is. */
export interface DocumentedOperation extends OpenApiOperation {
  readonly method: string
  readonly path: string
  /** `GET /api/hub/port` */
  readonly name: string
}

/** The document that a host serves. */
export async function openApiOf(host: Sender): Promise<OpenApiDocument> {
  return (await send(host, 'GET', '/swagger/v1/swagger.json')).body
}

/** Every operation of a document. */
export function operationsOf({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => {
      const method = verb.toUpperCase()
      return { ...operation, method, path, name: `${method} ${path}` }
    }),
  )
}
