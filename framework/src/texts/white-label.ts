import { z } from '../contracts/index.js'
import { configurationSection } from '../modularity/configuration.js'

const color = z.string().regex(/^#[0-9a-f]{6}$/i, 'expected a colour such as #0b5cad')

/** The look of pages and mails for operators with a name of their own. */
export const WhiteLabel = configurationSection('App', {
  whiteLabeling: z
    .object({
      /** The name of the system on the pages. Mails take it too; without it, the display name of their sender. */
      appName: z.string().trim().min(1).max(64).default('Keel'),
      /**
       * Shown above each page and mail: an https address, or the picture itself as `data:image/…`. Mails show addresses with https, and PNG,
       * JPEG and GIF of at most 64 KB.
       */
      logoUrl: z
        .string()
        .regex(
          /^(https?:\/\/[^\s"';,]+|data:image\/[\w+.-]+[;,][^\s"']+)$/,
          'expected an http(s) or data:image/ address',
        )
        .optional(),
      /** Of buttons and links; made lighter or darker where it could not be read. */
      primaryColor: color.default('#0b5cad'),
      /** The same in the dark. */
      primaryColorDark: color.default('#7db8f5'),
    })
    .prefault({}),
})
