import { personalRows } from '@keel/framework/data'
import { RateCardPermissions } from '../contracts/index.js'
import { RateCard } from './rate-card.js'

/** What Pricing keeps about persons. */
export const pricingPersonalData = [
  personalRows(RateCard, {
    name: 'rate-cards',
    of: ['approvedById', 'lastEditorId'],
    exported: ['reference', 'name', 'approvalTime'],
    permission: RateCardPermissions.View,
    erasure: 'Business',
  }),
]
