/** The states of a quote. */
export enum QuoteStatus {
  Draft = 0,
  Calculated = 1,
  PendingApproval = 2,
  Sent = 3,
  Accepted = 4,
  Rejected = 5,
  Expired = 6,

  /** A shipment was made of it. */
  Converted = 7,
  Cancelled = 8,
}
