import { OwnPersonalDataAppService, PersonalDataRequestAppService } from '@keel/default-proxy'
import { openProxy } from '../clients.js'

/** The clients of requests about personal data. */
export const { personalDataRequests, ownPersonalData } = openProxy({
  personalDataRequests: { service: PersonalDataRequestAppService },
  ownPersonalData: { service: OwnPersonalDataAppService },
})
