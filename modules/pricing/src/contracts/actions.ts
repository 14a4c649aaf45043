import { Dto, z } from '@keel/framework/contracts'
import { stamp } from './fields.js'

/** The input of an action of Pricing. */
export class PricingActionDto extends Dto(stamp) {}

/** The input of an action of Pricing that needs a reason. */
export class PricingReasonDto extends Dto({ reason: z.string().trim().min(1).max(256), ...stamp }) {}
