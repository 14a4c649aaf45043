/** The header of a token that stands for a caller's writes: answers to writes carry it, and requests of the same caller bring it back. */
export const seenHeader = 'x-keel-seen'
