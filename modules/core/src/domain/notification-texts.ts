import { mailTemplate } from '@keel/framework/texts'

/** The most notifications that a mail lists. */
export const mostMailedTitles = 10

/** The mails of notifications. */
export const NotificationMailTemplates = {
  One: mailTemplate('App.Notification', {
    parameters: { title: 'text' },
    subject: 'Mail:NotificationSubject',
    body: [{ say: 'Mail:Notification' }, { note: 'Mail:NotificationWhy' }],
    example: { title: 'Shipment KEEL-0001 was delivered.' },
  }),
  Several: mailTemplate('App.Notifications', {
    parameters: { count: 'text', titles: 'text' },
    subject: 'Mail:NotificationsSubject',
    body: [
      { say: 'Mail:Notifications' },
      { say: 'Mail:NotificationsSeeInbox' },
      { note: 'Mail:NotificationWhy' },
    ],
    example: { count: '2', titles: 'Shipment KEEL-0001 was delivered. Shipment KEEL-0002 was booked.' },
  }),
} as const
