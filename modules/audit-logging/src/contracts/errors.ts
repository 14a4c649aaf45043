/** The error codes of the audit log. */
export const AuditLoggingErrors = {
  /** More rows than a file is made of: a narrower filter helps. */
  TooManyRows: 'AuditLogging:TooManyRows',
} as const
