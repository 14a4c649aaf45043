import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Logger } from '../modularity/logging.js'
import { type OutgoingSms, SmsGateway } from './sms-sender.js'

/** Writes messages as text files: the number, an empty line, the text. Only their owner may read them, for they carry codes. */
export class FolderSms extends SmsGateway {
  private readonly folder: string

  constructor(
    folder: string,
    private readonly logger: Logger,
  ) {
    super()
    this.folder = resolve(folder)
  }

  async deliver({ id, phoneNumber, text }: OutgoingSms): Promise<void> {
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${id.slice(0, 8)}.txt`
    const file = join(this.folder, name)
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    // Renamed when complete: programs that watch the folder never see a part of a file.
    await writeFile(`${file}.part`, `To: ${phoneNumber}\n\n${text}\n`, { mode: 0o600 })
    await rename(`${file}.part`, file)
    this.logger.info({ to: phoneNumber, file }, 'text message written')
  }
}
