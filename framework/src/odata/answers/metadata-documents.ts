import { createHash } from 'node:crypto'
import { matchesTag } from '../../http/server/entity-tags.js'
import { csdlJson } from '../model/csdl-json.js'
import { csdlXml } from '../model/csdl-xml.js'
import type { EntityModel } from '../model/entity-model.js'
import type { MemberAnnotations } from '../model/member-annotations.js'
import type { ODataLimits } from '../syntax/limits.js'
import type { ODataAnswer } from './odata-answer.js'

interface Document {
  readonly type: string
  readonly body: Buffer
  readonly tag: string
}

/** `$metadata` in both forms and versions and all languages, each made once and kept as bytes. */
export class MetadataDocuments {
  private readonly made = new Map<string, Document>()

  constructor(
    private readonly model: EntityModel,
    private readonly limits: ODataLimits,
    private readonly members: MemberAnnotations,
  ) {}

  /** The document, or 304 when the caller has it already. */
  answer(
    form: 'xml' | 'json',
    { version, culture }: { readonly version: string; readonly culture: string },
    known: string | undefined,
  ): ODataAnswer {
    const { type, body, tag } = this.document(form, version, culture)
    const headers = {
      etag: tag,
      'cache-control': 'no-cache',
      vary: 'Accept, OData-MaxVersion, Accept-Language, Accept-Encoding',
    }
    if (matchesTag(known, tag)) return { status: 304, headers }
    return { status: 200, headers: { ...headers, 'content-type': type }, body }
  }

  /** @param culture one of those that the host has texts in: strangers do not make us keep more */
  private document(form: 'xml' | 'json', version: string, culture: string): Document {
    const key = `${form} ${version} ${culture}`
    const known = this.made.get(key)
    if (known) return known
    const describing = this.members.describing(culture)
    const body = Buffer.from(
      form === 'xml'
        ? csdlXml(this.model, this.limits, version, describing)
        : JSON.stringify(csdlJson(this.model, this.limits, version, describing)),
    )
    const digest = createHash('sha256').update(body).digest('base64url').slice(0, 27)
    const document = { type: `application/${form};charset=utf-8`, body, tag: `W/"${digest}"` }
    this.made.set(key, document)
    return document
  }
}
