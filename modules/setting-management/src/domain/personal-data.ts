import { personalRows, sql } from '@keel/framework/data'
import { Setting } from './setting.js'

/** The settings of persons. */
export const settingPersonalData = [
  personalRows(Setting, {
    name: 'settings',
    where: ({ id }, t) => sql`(${t}."ProviderName" = 'U' and ${t}."ProviderKey" = ${id})`,
    exported: ['name', 'value'],
    withheld: ['providerName', 'providerKey'],
    erasure: 'delete',
  }),
]
