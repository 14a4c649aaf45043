/** The header of answers that names what an operation met and did not refuse: a code, then its text (RFC 8187). */
export const warningHeader = 'x-keel-warning'
