import { Dto, z } from '@keel/framework/contracts'

/** Members of the input of every action. */
export const stamp = {
  /** The stamp last seen: another user's change in between refuses the action. */
  concurrencyStamp: z.string().max(40).nullish(),
}

/** The input of an action that needs a reason. */
export class ReasonDto extends Dto({ reason: z.string().trim().min(1).max(256), ...stamp }) {}
