import { type Readable, Transform } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { Request, Response } from 'express'
import {
  type FileContent,
  faultOf,
  filesOf,
  type Parameter,
  type TextReference,
  ValidationError,
} from '../../contracts/index.js'
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../server/http-errors.js'
import { safeFileName } from './file-names.js'
import { hasBody } from './json-body.js'
import { nestPairs, QueryLimitError } from './query-string.js'
import type { SpooledFile, UploadSpool } from './spooled-file.js'

/** How large bodies may be, and where their files go. */
export interface BodyLimits {
  /** Of JSON, and of all fields of a form that are no files. */
  readonly maxJsonBodyBytes: number
  /** Of JSON that an operation reads which everybody may call. */
  readonly maxAnonymousBodyBytes: number
  /** Objects, lists, members and items of JSON, at all levels. */
  readonly maxJsonValues: number
  /** Of each file. */
  readonly maxFileBytes: number
  /** Where files are kept while their request is answered. */
  readonly spool: UploadSpool
}

type Answer = (request: Request, response: Response) => Promise<void>

const mostParts = 500
/** Files that the operation does not know are skipped, up to so many. */
const mostUnknownFiles = 10

/**
 * Answers with the form that a request brings, read into its body: fields as texts, files as {@link
 * FileContent} that lives until the answer is sent. The parameter's files are kept on disk, all others are
 * skipped; throws a typed error for each fault of the body.
 */
export function formBody(parameter: Parameter, limits: BodyLimits, answer: Answer): Answer {
  const members = new Map(filesOf(parameter).map((name) => [name.toLowerCase(), name]))
  return async (request, response) => {
    const form = new IncomingForm(request, members, limits)
    try {
      request.body = hasBody(request) ? await form.read() : {}
      await answer(request, response)
    } finally {
      await form.discard()
    }
  }
}

/** A form as it comes in. */
class IncomingForm {
  private readonly fields: [name: string, value: string][] = []
  private readonly files = new Map<string, FileContent>()
  private readonly spooled: SpooledFile[] = []
  private readonly spooling: Promise<void>[] = []
  private readonly streams: Readable[] = []
  private fieldBytes = 0

  /** @param members the members that are files, by their names in lower case */
  constructor(
    private readonly request: Request,
    private readonly members: ReadonlyMap<string, string>,
    private readonly limits: BodyLimits,
  ) {}

  async read(): Promise<Record<string, unknown>> {
    await this.parse(this.createParser())
    try {
      return { ...nestPairs(this.fields), ...Object.fromEntries(this.files) }
    } catch (error) {
      throw error instanceof QueryLimitError ? faultyForm(error.message, error.text) : error
    }
  }

  async discard(): Promise<void> {
    await Promise.allSettled(this.spooling)
    await Promise.all(this.spooled.map((file) => file.discard()))
  }

  private createParser(): BusboyInstance {
    const { headers } = this.request
    const { maxFileBytes, maxJsonBodyBytes } = this.limits
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
    if (!/^multipart\/form-data\s*(;|$)/i.test(type))
      throw UnsupportedMediaTypeError.expecting('multipart/form-data', headers['content-type'])
    if (encoding !== 'identity') throw UnsupportedMediaTypeError.ofEncoding(encoding)
    // Headers of parts may take as much as the fields.
    if (Number(headers['content-length']) > this.members.size * maxFileBytes + 2 * maxJsonBodyBytes)
      throw PayloadTooLargeError.ofFile(maxFileBytes)
    try {
      return new Busboy({
        headers: { ...headers, 'content-type': type },
        preservePath: true,
        limits: {
          parts: mostParts,
          files: this.members.size + mostUnknownFiles,
          fileSize: maxFileBytes,
          fieldSize: maxJsonBodyBytes,
          headerPairs: 20,
          headerSize: 8 * 1024,
        },
      })
    } catch (error) {
      throw brokenForm((error as Error).message, error)
    }
  }

  private async parse(parser: BusboyInstance): Promise<void> {
    const { request, limits } = this
    const slices = slicer()
    await new Promise<void>((resolve, reject) => {
      const fail = (error: unknown): void => {
        slices.unpipe(parser)
        request.unpipe(slices)
        // The rest is let by, so that the caller comes to read our answer.
        request.resume()
        for (const stream of this.streams) stream.destroy()
        reject(error)
      }
      const tooMany = (): void =>
        fail(
          faultyForm(`A form may have at most ${mostParts} parts.`, {
            key: 'Http:TooManyParts',
            data: { most: mostParts },
          }),
        )
      parser.on('field', (name, value, _nameIsCut, isCut) => {
        this.fieldBytes += name?.length ?? 0
        this.fieldBytes += value.length
        if (isCut || this.fieldBytes > limits.maxJsonBodyBytes)
          fail(PayloadTooLargeError.ofBody(limits.maxJsonBodyBytes))
        else if (name) this.fields.push([name, value])
      })
      parser.on('file', (name, stream, fileName, _encoding, type) => {
        this.streams.push(stream)
        stream.on('error', () => undefined)
        stream.on('limit', () => fail(PayloadTooLargeError.ofFile(limits.maxFileBytes)))
        const member = this.members.get(name?.toLowerCase())
        if (member === undefined) {
          stream.resume()
          return
        }
        const kept = this.keep(member, stream, fileName ?? '', type)
        kept.catch(fail)
        this.spooling.push(kept)
      })
      parser.on('partsLimit', tooMany)
      parser.on('filesLimit', tooMany)
      parser.on('error', (error) => fail(brokenForm((error as Error).message, error)))
      parser.on('finish', resolve)
      request.on('error', (error) => fail(brokenForm('it was cut off', error)))
      request.on('close', () => {
        if (!request.complete) fail(brokenForm('it was cut off'))
      })
      request.pipe(slices).pipe(parser)
    })
    await Promise.all(this.spooling)
  }

  private async keep(member: string, stream: Readable, fileName: string, type: string): Promise<void> {
    const file = await this.limits.spool.keep(stream)
    this.spooled.push(file)
    // Browsers send this for a field where no file was chosen.
    if (fileName === '' && file.bytes.size === 0) return
    if (this.files.has(member)) throw new ValidationError([faultOf(member, 'Http:OneFile')])
    this.files.set(member, { ...file.bytes, name: safeFileName(fileName), type })
  }
}

const sliceBytes = 4 * 1024

/**
 * Hands on bytes in small slices: the parser stops at the end of what it is given, however many parts begin
 * in it.
 */
function slicer(): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; at += sliceBytes) this.push(chunk.subarray(at, at + sliceBytes))
      done()
    },
  })
}

function brokenForm(reason: string, cause?: unknown): ValidationError {
  const text = { key: 'Http:BrokenForm', data: { reason } }
  return faultyForm(`The body is not a valid form: ${reason}`, text, cause)
}

function faultyForm(message: string, text: TextReference, cause?: unknown): ValidationError {
  return new ValidationError([{ message, members: [], text }], { cause })
}
