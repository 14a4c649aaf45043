import type { NoticeRecipient } from '../contracts/index.js'
import type { User } from './user.js'

/** The recipient of a notice about a user's account, from the row. */
export function recipientOf({ id, userName, name, email, emailConfirmed }: User): NoticeRecipient {
  return { userId: id, name: name || userName, email, isEmailConfirmed: emailConfirmed }
}
