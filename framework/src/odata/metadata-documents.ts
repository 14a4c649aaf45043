import { createHash } from 'node:crypto'
import { matchesTag } from '../http/entity-tags.js'
import { csdlJson } from './csdl-json.js'
import { csdlXml } from './csdl-xml.js'
import type { EntityModel } from './entity-model.js'
import type { ODataLimits } from './limits.js'
import type { ODataAnswer } from './odata-answer.js'

interface Document {
  readonly type: string
  readonly body: Buffer
  readonly tag: string
}

/** `$metadata` in both forms and versions, each made once and kept as bytes. */
export class MetadataDocuments {
  private readonly made = new Map<string, Document>()

  constructor(
    private readonly model: EntityModel,
    private readonly limits: ODataLimits,
  ) {}

  /** The document, or 304 for who has it already. */
  answer(form: 'xml' | 'json', version: string, known: string | undefined): ODataAnswer {
    const { type, body, tag } = this.document(form, version)
    const headers = {
      etag: tag,
      'cache-control': 'no-cache',
      vary: 'Accept, OData-MaxVersion, Accept-Encoding',
    }
    if (matchesTag(known, tag)) return { status: 304, headers }
    return { status: 200, headers: { ...headers, 'content-type': type }, body }
  }

  private document(form: 'xml' | 'json', version: string): Document {
    const key = `${form} ${version}`
    const known = this.made.get(key)
    if (known) return known
    const body = Buffer.from(
      form === 'xml'
        ? csdlXml(this.model, this.limits, version)
        : JSON.stringify(csdlJson(this.model, this.limits, version)),
    )
    const digest = createHash('sha256').update(body).digest('base64url').slice(0, 27)
    const document = { type: `application/${form};charset=utf-8`, body, tag: `W/"${digest}"` }
    this.made.set(key, document)
    return document
  }
}
