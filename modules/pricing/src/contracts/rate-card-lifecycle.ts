import { RateCardStatus } from './rate-cards.js'

const { Draft, PendingApproval, Active, Suspended, Expired, Superseded, Archived } = RateCardStatus

/** The transitions of rate cards by their action: statuses to start from, and the one that it leads to (domain model, section 2.5). */
export const rateCardTransitions: Readonly<
  Record<
    'submit' | 'approve' | 'return' | 'suspend' | 'resume' | 'supersede' | 'expire' | 'archive',
    { readonly from: readonly RateCardStatus[]; readonly to: RateCardStatus }
  >
> = {
  submit: { from: [Draft], to: PendingApproval },
  approve: { from: [PendingApproval], to: Active },
  return: { from: [PendingApproval], to: Draft },
  suspend: { from: [Active], to: Suspended },
  resume: { from: [Suspended], to: Active },
  supersede: { from: [Active, Suspended], to: Superseded },
  expire: { from: [Active, Suspended], to: Expired },
  archive: { from: [Expired, Superseded], to: Archived },
}

/** The names of the actions that change the status of a card. */
export type RateCardAction = keyof typeof rateCardTransitions

/** The status that an action leads to; undefined where it is not possible. */
export function targetOfAction(action: RateCardAction, status: RateCardStatus): RateCardStatus | undefined {
  const { from, to } = rateCardTransitions[action]
  return from.includes(status) ? to : undefined
}
