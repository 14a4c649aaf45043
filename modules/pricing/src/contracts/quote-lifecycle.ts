import { QuoteStatus } from './quote-status.js'

const { Draft, Calculated, PendingApproval, Sent, Accepted, Rejected, Expired, Converted, Cancelled } =
  QuoteStatus

/** The transitions of quotes by their action: statuses to start from, and the one that it leads to (domain model, section 2.5). */
export const quoteTransitions: Readonly<
  Record<
    | 'edit'
    | 'calculate'
    | 'reRate'
    | 'askApproval'
    | 'submit'
    | 'approve'
    | 'return'
    | 'accept'
    | 'reject'
    | 'expire'
    | 'convert'
    | 'cancel',
    { readonly from: readonly QuoteStatus[]; readonly to: QuoteStatus }
  >
> = {
  edit: { from: [Draft, Calculated], to: Draft },
  calculate: { from: [Draft, Calculated], to: Calculated },
  /** By the rates of today. */
  reRate: { from: [Calculated, PendingApproval, Sent], to: Calculated },
  /** Of a quote with too little margin. */
  askApproval: { from: [Calculated], to: PendingApproval },
  submit: { from: [Calculated], to: Sent },
  approve: { from: [PendingApproval], to: Sent },
  return: { from: [PendingApproval], to: Calculated },
  accept: { from: [Sent], to: Accepted },
  reject: { from: [Sent], to: Rejected },
  expire: { from: [Sent], to: Expired },
  convert: { from: [Accepted], to: Converted },
  /** An accepted one as well when Hub refused its shipment. */
  cancel: { from: [Draft, Calculated, PendingApproval, Sent, Accepted], to: Cancelled },
}

/** The names of the actions that change the status of a quote. */
export type QuoteAction = keyof typeof quoteTransitions

/** The status that an action leads to; undefined where it is not possible. */
export function statusAfter(action: QuoteAction, status: QuoteStatus): QuoteStatus | undefined {
  const { from, to } = quoteTransitions[action]
  return from.includes(status) ? to : undefined
}
