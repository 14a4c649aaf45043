import { CodeEntityAppService } from './code-entities.js'
import { DocumentAppService } from './documents.js'
import { OrganizationAppService } from './organizations.js'
import {
  CodeEntityPermissions,
  DocumentPermissions,
  OrganizationPermissions,
  PortPermissions,
  ShipmentPermissions,
} from './permissions.js'
import { PortAppService } from './ports.js'
import { ShipmentAppService } from './shipments.js'

export * from './code-entities.js'
export * from './documents.js'
export * from './enumerations.js'
export * from './hub.js'
export * from './orders.js'
export * from './organizations.js'
export * from './permissions.js'
export * from './ports.js'
export * from './shipments.js'

/** Every contract of the module: what a host that runs it elsewhere lists under `remotes`. */
export const hubServices = [
  ShipmentAppService,
  PortAppService,
  CodeEntityAppService,
  OrganizationAppService,
  DocumentAppService,
] as const

/** Every class of permissions of the module. */
export const hubPermissions = [
  ShipmentPermissions,
  DocumentPermissions,
  PortPermissions,
  CodeEntityPermissions,
  OrganizationPermissions,
] as const
