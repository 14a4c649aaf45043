/** The codes of a `BusinessError` of lists by mail. */
export const ListMailErrors = {
  /** The person has no confirmed address. */
  NoConfirmedAddress: 'ListMail:NoConfirmedAddress',
  TooManyUnfinished: 'ListMail:TooManyUnfinished',
} as const
