import { mailTemplate } from '@keel/framework/texts'

/** The mails with exports. */
export const ExportMailTemplates = {
  Attached: mailTemplate('App.Export', {
    parameters: { name: 'text', rows: 'text' },
    subject: 'Mail:ExportSubject',
    body: [{ say: 'Mail:Export' }, { note: 'Mail:ExportWhy' }],
    example: { name: 'Open shipments', rows: '42' },
  }),
  TooLarge: mailTemplate('App.ExportTooLarge', {
    parameters: { name: 'text', rows: 'text', days: 'text' },
    subject: 'Mail:ExportSubject',
    body: [{ say: 'Mail:ExportTooLarge' }, { note: 'Mail:ExportWhy' }],
    example: { name: 'Open shipments', rows: '90000', days: '14' },
  }),
} as const
