import { roleMatrixMembers } from '@keel/platform-proxy'
import { openProxy } from '../clients.js'

/** Roles against permissions. */
export const { roleMatrix } = openProxy(roleMatrixMembers)
