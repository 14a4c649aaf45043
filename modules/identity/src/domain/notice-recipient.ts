import type { NoticeRecipient } from '../contracts/index.js'
import type { User } from './user.js'

/** Whom a notice about a user's account goes to, as the row stands. */
export function recipientOf({ id, userName, name, email, emailConfirmed }: User): NoticeRecipient {
  return { userId: id, name: name || userName, email, isEmailConfirmed: emailConfirmed }
}
