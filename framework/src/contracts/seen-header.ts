/** The header with the token of a caller's writes: sent with answers, returned by the caller's requests. */
export const seenHeader = 'x-keel-seen'
