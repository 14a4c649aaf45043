import { z } from '../contracts/index.js'
import type { ModuleContext } from '../modularity/application.js'
import { configurationSection } from '../modularity/configuration.js'
import { KeelModule, Module } from '../modularity/module.js'
import { auditCalls } from './auditing-interceptor.js'

/** The settings of auditing, with the names of ABP's `AbpAuditingOptions`. */
export const Auditing = configurationSection('Auditing', {
  /** `false` keeps no logs. */
  isEnabled: z.boolean().default(true),
  /** The application name in each log; the name of the host's module when not given. */
  applicationName: z.string().min(1).max(96).optional(),
  /** Keep what callers who are not signed in did, where an operation lets them. */
  isEnabledForAnonymousUsers: z.boolean().default(true),
  /** Keep reads too. */
  isEnabledForGetRequests: z.boolean().default(false),
  /** Keep every request that failed, reads included. */
  alwaysLogOnException: z.boolean().default(true),
  /** Path prefixes, case-sensitive, that are never audited; as in ABP's `AbpAspNetCoreAuditingOptions`. */
  ignoredUrls: z.array(z.string().startsWith('/')).default([]),
})

/** Notes operations for the audit log, for the provider of `AuditStore`; without one nothing is noted. */
@Module({ configuration: [Auditing] })
export class AuditingModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    const { isEnabled, isEnabledForGetRequests } = application.configuration.read(Auditing)
    if (isEnabled) application.interceptors.push(auditCalls({ includeReads: isEnabledForGetRequests }))
  }
}
