import { Readable } from 'node:stream'
import type { SendMailOptions } from 'nodemailer'
import type { BlobStore, StoredBlob } from '../blobs/blob-store.js'
import { faultOf, isMailAddress, UnavailableError, ValidationError } from '../contracts/index.js'
import { longestSubject, type MailAttachment, type MailMessage, type MailParty } from './mailer.js'

const mostRecipients = 100
const mostAttachments = 20
const longestContent = 65_536
const longestFileName = 120
// Also the line and paragraph separators, which some servers take for the end of a line.
const controlCharacters = /[\p{Cc}\u2028\u2029]+/gu
// Characters with a meaning in paths, shells and headers, and marks that display `exe.pdf` for `fdp.exe`.
const unsafeInFileNames = /[\p{C}\p{Zl}\p{Zp}"'\\/:*?<>|;%]+/gu
const mediaType = /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/
const contentIds = /^[A-Za-z0-9._-]{1,60}(@[A-Za-z0-9._-]{1,60})?$/

/** The blob of each attachment that has one, in their order. */
export type MailBlobs = readonly (StoredBlob | undefined)[]

/** Throws for a message that can't be sent whatever the server says. Reads no blob. */
export function checkMessage({
  to,
  cc = [],
  bcc = [],
  replyTo,
  subject,
  attachments = [],
}: MailMessage): void {
  const recipients = { to: [to].flat(), cc, bcc }
  const faults = Object.entries(recipients)
    .filter(([, addresses]) => !addresses.every(isMailAddress))
    .map(([member]) => faultOf(member, 'Validation:MailAddress'))
  const count = recipients.to.length + cc.length + bcc.length
  if (recipients.to.length === 0 || count > mostRecipients)
    faults.push(faultOf('to', 'Validation:MailRecipients', { most: mostRecipients }))
  if (replyTo && !isMailAddress(replyTo.address)) faults.push(faultOf('replyTo', 'Validation:MailAddress'))
  if (subject.search(controlCharacters) >= 0 || subject.length > longestSubject)
    faults.push(faultOf('subject', 'Validation:MailSubject', { most: longestSubject }))
  if (attachments.length > mostAttachments)
    faults.push(faultOf('attachments', 'Validation:MailAttachments', { most: mostAttachments }))
  if (faults.length) throw new ValidationError(faults)
  for (const attachment of attachments) {
    const { contentId, fileName } = attachment
    if (contentId !== undefined && !contentIds.test(contentId))
      throw new RangeError(`${JSON.stringify(contentId)} is no content id of an attachment`)
    if ('content' in attachment && attachment.content.length > longestContent)
      throw new RangeError(`${fileName} has more than ${longestContent} bytes: keep it as a blob (MailFiles)`)
  }
}

/** The blobs of a message. Throws when one is not there, or all together are too large. */
export async function findBlobs(
  attachments: readonly MailAttachment[],
  store: BlobStore | undefined,
  mostBytes: number,
): Promise<MailBlobs> {
  const blobs = await Promise.all(
    attachments.map(async (attachment) => {
      if ('content' in attachment) return undefined
      const blob = await store?.find(attachment.blob)
      // Another host of the queue may have it.
      if (!blob)
        throw new UnavailableError(`The file ${attachment.blob} of a mail is not there`, undefined, {
          text: { key: 'Files:Missing', data: { name: attachment.fileName } },
        })
      return blob
    }),
  )
  if (sizeOf(attachments, blobs) > mostBytes)
    throw new ValidationError([
      faultOf('attachments', 'Validation:MailAttachmentBytes', { most: Math.floor(mostBytes / 1_000_000) }),
    ])
  return blobs
}

/** Bytes of all attachments. */
export function sizeOf(attachments: readonly MailAttachment[], blobs: MailBlobs): number {
  return attachments.reduce(
    (sum, attachment, index) =>
      sum + ('content' in attachment ? attachment.content.length : (blobs[index]?.size ?? 0)),
    0,
  )
}

/** A message as the mail library takes it. `close` ends the streams of attachments that nobody read to their end. */
export function envelopeOf(
  message: MailMessage,
  from: MailParty,
  blobs: MailBlobs,
): { envelope: SendMailOptions; close: () => void } {
  const { to, cc = [], bcc = [], replyTo, subject, text, html, attachments = [] } = message
  const streams: Readable[] = []
  const envelope: SendMailOptions = {
    from: party(from),
    to: [to].flat().map(bare),
    ...(cc.length && { cc: cc.map(bare) }),
    ...(bcc.length && { bcc: bcc.map(bare) }),
    ...(replyTo && { replyTo: party(replyTo) }),
    subject,
    text,
    ...(html !== undefined && { html }),
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: attachments.map((attachment, index) => {
      const { fileName, contentType, contentId } = attachment
      return {
        filename: safeFileName(fileName),
        contentType: mediaType.test(contentType) ? contentType : 'application/octet-stream',
        ...(contentId !== undefined && { cid: contentId, contentDisposition: 'inline' }),
        content: 'content' in attachment ? Buffer.from(attachment.content) : streamOf(blobs[index]),
      }
    }),
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return { envelope, close: () => streams.forEach((stream) => void stream.destroy()) }

  function streamOf(blob: StoredBlob | undefined): Readable {
    const stream = blob ? Readable.fromWeb(blob.stream() as never) : Readable.from([])
    // The library tells of a stream that fails; one that is closed unread fails nobody.
    stream.on('error', () => undefined)
    streams.push(stream)
    return stream
  }
}

/** A file name that is the same in headers, on disks and for readers; its ending stays when it is cut. */
export function safeFileName(name: string): string {
  const safe = name.slice(-1000).replace(unsafeInFileNames, '_').trim().replace(/^\.+/, '') || 'file'
  if (safe.length <= longestFileName) return safe
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(safe) ?? []
  const stem = safe.slice(0, longestFileName - ending.length).replace(/[\ud800-\udbff]$/, '')
  return `${stem}${ending}`
}

function party({ address, name = '' }: MailParty): { address: string; name: string } {
  return { address, name: name.replace(controlCharacters, ' ') }
}

function bare(address: string): { address: string; name: string } {
  return { address, name: '' }
}
