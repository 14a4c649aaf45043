import type { Request, Response } from 'express'
import { App, type HttpRoot, type ToldError } from '../http/host/http-host.js'
import { sendStream } from '../http/operations/file-response.js'
import { announceCoding, endWith } from '../http/server/compression.js'
import { MethodNotAllowedError, PayloadTooLargeError } from '../http/server/http-errors.js'
import { withoutApiKey } from '../http/server/logged-url.js'
import { demandSignedIn, linkBase } from '../http/server/public-address.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { answerBatch } from './answers/batch.js'
import { errorBody } from './answers/error-body.js'
import type { ODataAnswer, ODataRequest } from './answers/odata-answer.js'
import { ODataService } from './odata-service.js'
import { OData } from './plans/odata-settings.js'

/** Where the layer is reached. */
export const odataRoot = '/odata'

/** The OData layer as a part of the HTTP server: translates requests of Express, answers and errors. */
@Injectable()
export class ODataEndpoint implements HttpRoot {
  private readonly app
  private readonly settings

  constructor(
    application: Application,
    private readonly service: ODataService,
  ) {
    this.app = application.configuration.read(App)
    this.settings = application.configuration.read(OData)
  }

  async handle(request: Request, response: Response, tell: (error: unknown) => ToldError): Promise<void> {
    const asked = { ...this.requestOf(request), canStream: request.method !== 'HEAD' }
    const answer = isBatch(asked) ? await this.batch(asked, tell) : await this.service.answer(asked)
    if (!answer.pieces) return send(response, answer)
    sendHead(response, answer)
    await sendStream(answer.pieces, response, announceCoding(request, response))
  }

  writeError(response: Response, error: unknown, told: ToldError): void {
    const { body, headers, status } = this.errorAnswer(error, told)
    send(response, { status, headers, body: body ?? '' })
  }

  private async batch(request: ODataRequest, tell: (error: unknown) => ToldError): Promise<ODataAnswer> {
    if (request.method !== 'POST') throw new MethodNotAllowedError(request.method, ['POST'])
    demandSignedIn()
    const told = (error: unknown) => this.errorAnswer(error, tell(error))
    const { maxBatchAnswerBytes, maxBatchParts, maxBodyBytes, maxConcurrency, maxUrlLength } = this.settings
    return answerBatch(request, {
      limits: {
        maxBytes: maxBodyBytes,
        maxParts: maxBatchParts,
        maxUrlLength,
        maxAnswerBytes: maxBatchAnswerBytes,
        mostValues: this.app.maxJsonValues,
      },
      concurrency: maxConcurrency,
      tell: told,
      answer: async (part) => {
        try {
          return await this.service.answer(part)
        } catch (error) {
          return told(error)
        }
      },
    })
  }

  private errorAnswer(error: unknown, { status, envelope, headers }: ToldError): ODataAnswer {
    return {
      status,
      headers: {
        ...headers,
        'content-type': 'application/json;odata.metadata=minimal;charset=utf-8',
        'odata-version': '4.0',
      },
      body: errorBody(error, { status, envelope, correlationId: ambient().correlationId }),
    }
  }

  private requestOf(request: Request): ODataRequest {
    const below = request.url.slice(odataRoot.length)
    const mark = below.indexOf('?')
    const segment = request.url.slice(0, odataRoot.length)
    return {
      method: request.method,
      path: mark < 0 ? below : below.slice(0, mark),
      query: mark < 0 ? '' : withoutApiKey(below.slice(mark + 1)),
      headers: request.headers as ODataRequest['headers'],
      root: `${linkBase(this.app.selfUrl, request)}${segment}/`,
      reachedAt: `${request.protocol}://${request.headers.host ?? ''}${segment}/`,
      body: (maxBytes) => readBody(request, maxBytes),
    }
  }
}

function isBatch({ path }: ODataRequest): boolean {
  return /^\/(\$|%24)batch\/?$/i.test(path)
}

function send(response: Response, answer: ODataAnswer): void {
  sendHead(response, answer)
  if (answer.body === undefined) response.end()
  else endWith(response, answer.body)
}

function sendHead(response: Response, { status, headers }: ODataAnswer): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers))
    if (name === 'vary' && response.hasHeader(name)) response.vary(value)
    else response.setHeader(name, value)
}

async function readBody(request: Request, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw PayloadTooLargeError.ofBody(maxBytes)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw PayloadTooLargeError.ofBody(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
