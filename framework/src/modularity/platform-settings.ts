import { defineFeature, defineSetting } from '../contracts/index.js'
import { describeCulture } from './current-culture.js'
import { timeZoneNames } from './time-zone.js'

/** Settings of the framework itself, by ABP's names and with its defaults. */
export const PlatformSettings = {
  /** The language that clients take for the default. */
  DefaultLanguage: defineSetting('Abp.Localization.DefaultLanguage', {
    default: 'en',
    displayName: 'Default language',
    isVisibleToClients: true,
    accepts: (culture) => describeCulture(culture) !== undefined,
  }),
  /** IANA or Windows name of the zone that clients show instants in; empty for the browser's own. */
  TimeZone: defineSetting('Abp.Timing.TimeZone', {
    default: 'UTC',
    displayName: 'Time zone',
    isVisibleToClients: true,
    accepts: (zone) => zone === '' || timeZoneNames(zone).iana !== null,
  }),
} as const

/**
 * Features that ABP's Angular UI reads without looking whether they are there (abp-http-contract, section
 * 2.1).
 */
export const PlatformFeatures = {
  SettingManagement: defineFeature('SettingManagement.Enable', {
    default: true,
    displayName: 'Setting management',
  }),
  ChangingEmailSettings: defineFeature('SettingManagement.AllowChangingEmailSettings', {
    default: false,
    displayName: 'Change e-mail settings',
    parent: 'SettingManagement.Enable',
  }),
} as const
