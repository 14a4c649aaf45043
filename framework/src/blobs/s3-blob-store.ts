import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { type FileBytes, UnavailableError, z } from '../contracts/index.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'
import { type BlobReceipt, BlobStore, checkBlobName, type StoredBlob } from './blob-store.js'

/** An S3-compatible store of blobs, which is used instead of a folder where it has a bucket. */
export const S3Blobs = configurationSection('Blobs:S3', {
  /** Must exist. */
  bucket: z.string().min(1).optional(),
  /** Of a store that is not Amazon's, e.g. `https://s3.example.com`. */
  endpoint: z.url().optional(),
  /** The region of the bucket. */
  region: z.string().min(1).default('us-east-1'),
  /** Both keys or none: without them those of the machine are used, as Amazon's SDK finds them. */
  accessKey: z.string().min(1).optional(),
  /** The secret of `Blobs:S3:AccessKey`. */
  secretKey: z.string().min(1).optional(),
  /** Puts the bucket into the path instead of the host's name; true with an endpoint when not given. */
  forcePathStyle: z.boolean().optional(),
  /** Begins every name: systems that share a bucket have different ones. */
  prefix: z.string().max(200).default(''),
})

/** The bytes of an upload that are in memory at once. S3 takes 10,000 parts: a blob has at most 80 GB. */
const partBytes = 8 * 1024 * 1024
const connectMs = 5000
/** Without a byte. */
const silenceMs = 60_000
const attempts = 3

/** Amazon's library as it is loaded where there is a bucket. */
export type S3Driver = Pick<
  typeof import('@aws-sdk/client-s3'),
  'S3Client' | 'GetObjectCommand' | 'HeadObjectCommand' | 'DeleteObjectCommand'
> &
  Pick<typeof import('@aws-sdk/lib-storage'), 'Upload'>

/** Keeps blobs in a bucket. An upload of unknown length goes in parts, of which one is in memory. */
export class S3BlobStore extends BlobStore {
  private readonly settings: ReturnType<typeof settingsOf>
  private readonly client: S3Client

  constructor(
    configuration: Configuration,
    private readonly driver: S3Driver,
  ) {
    super()
    this.settings = settingsOf(configuration)
    this.client = this.newClient()
  }

  async save(name: string, content: ReadableStream<Uint8Array>): Promise<BlobReceipt> {
    const place = this.placeOf(name)
    const hash = createHash('sha256')
    let size = 0
    let broken: unknown
    const body = Readable.from(
      (async function* () {
        try {
          for await (const chunk of content as unknown as AsyncIterable<Uint8Array>) {
            hash.update(chunk)
            size += chunk.length
            yield chunk
          }
        } catch (error) {
          broken = error
          throw error
        }
      })(),
      { objectMode: false },
    )
    // An upload that fails is aborted, which removes the parts that were sent.
    const upload = new this.driver.Upload({
      client: this.client,
      params: { ...place, Body: body },
      partSize: partBytes,
      queueSize: 1,
    })
    try {
      await upload.done()
    } catch (error) {
      body.destroy()
      throw broken ?? asUnavailable(error)
    }
    return { size, sha256: hash.digest('hex') }
  }

  async find(name: string): Promise<StoredBlob | undefined> {
    const place = this.placeOf(name)
    const found = await this.client.send(new this.driver.HeadObjectCommand(place)).catch(undefinedWhenMissing)
    if (!found) return undefined
    const size = found.ContentLength ?? 0
    const whole: FileBytes = { stream: () => this.streamOf(place) }
    return {
      size,
      lastModified: found.LastModified?.getTime() ?? 0,
      stream: whole.stream,
      slice: (start, end) => ({
        stream: () =>
          end > start ? this.streamOf({ ...place, Range: `bytes=${start}-${end - 1}` }) : nothing(),
      }),
    }
  }

  async delete(name: string): Promise<void> {
    const place = this.placeOf(name)
    await this.client.send(new this.driver.DeleteObjectCommand(place)).catch(undefinedWhenMissing)
  }

  /** Asks for the bytes when somebody reads, and hangs up when they stop. */
  private streamOf(place: { Bucket: string; Key: string; Range?: string }): ReadableStream<Uint8Array> {
    const read = async function* (this: S3BlobStore): AsyncGenerator<Uint8Array> {
      const answer = await this.client
        .send(new this.driver.GetObjectCommand(place))
        .catch((error: unknown) => {
          throw asUnavailable(error)
        })
      if (answer.Body) yield* answer.Body as Readable
    }
    return ReadableStream.from(read.call(this)) as unknown as ReadableStream<Uint8Array>
  }

  private placeOf(name: string): { Bucket: string; Key: string } {
    checkBlobName(name)
    return { Bucket: this.settings.bucket, Key: `${this.settings.prefix}${name}` }
  }

  private newClient(): S3Client {
    const { endpoint, region, forcePathStyle, accessKey, secretKey } = this.settings
    return new this.driver.S3Client({
      region,
      forcePathStyle: forcePathStyle ?? endpoint !== undefined,
      maxAttempts: attempts,
      // Stores other than Amazon's know the older ways alone.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: connectMs, socketTimeout: silenceMs },
      ...(endpoint !== undefined && { endpoint }),
      ...(accessKey !== undefined &&
        secretKey !== undefined && { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } }),
    })
  }
}

function settingsOf(configuration: Configuration) {
  const { bucket = '', ...settings } = configuration.read(S3Blobs)
  return { ...settings, bucket }
}

function nothing(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() })
}

function undefinedWhenMissing(error: unknown): undefined {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } }
  if (name !== 'NotFound' && name !== 'NoSuchKey' && $metadata?.httpStatusCode !== 404)
    throw asUnavailable(error)
}

/**
 * An `UnavailableError` for a store that is unreachable, too busy or broken. Other refusals are faults of
 * this code and pass unchanged.
 */
function asUnavailable(error: unknown): unknown {
  const { code, $metadata, name } = error as NodeJS.ErrnoException & {
    $metadata?: { httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode
  const isAway = status === undefined ? code !== undefined || name === 'TimeoutError' : status >= 500
  return isAway
    ? new UnavailableError('The store of files is not reached.', 5, {
        cause: error,
        text: { key: 'Files:NotReached' },
      })
    : error
}
