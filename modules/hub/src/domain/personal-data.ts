import { personalRows, sql } from '@keel/framework/data'
import { DocumentPermissions, NoteVisibility, ShipmentPermissions } from '../contracts/index.js'
import { Document } from './document.js'
import { Organization, OrganizationMember } from './organization.js'
import { OrganizationContact } from './organization-contact.js'
import { PackLineDangerousGoods } from './pack-line.js'
import { ShipmentAddress } from './shipment.js'
import { ShipmentException } from './shipment-exception.js'
import { ShipmentNote } from './shipment-note.js'
import { Webhook } from './webhook.js'

const noteMembers = ['shipmentId', 'subject', 'text', 'creationTime', 'lastModificationTime'] as const

/** What Hub keeps about persons. Papers of transports are kept as the law on trade wants it, without a name that leads to the user. */
export const hubPersonalData = [
  personalRows(OrganizationMember, {
    name: 'memberships',
    of: ['userId'],
    exported: ['organizationId', 'userName', 'accessScope', 'isDefault', 'validUntil', 'creationTime'],
    erasure: 'delete',
  }),
  // Nothing but the address links a contact to a user.
  personalRows(OrganizationContact, {
    name: 'contacts',
    where: ({ email }, t) => (email === undefined ? sql`false` : sql`lower(${t}."Email") = ${email}`),
    exported: ['organizationId', 'fullName', 'jobTitle', 'email', 'phone', 'mobile', 'department'],
    withheld: ['organizationAddressId', 'receivesNotifications', 'isPrimary'],
    erasure: {
      fullName: '-',
      jobTitle: null,
      email: null,
      phone: null,
      mobile: null,
      receivesNotifications: false,
    },
  }),
  personalRows(ShipmentNote, {
    name: 'shipment-notes',
    where: ({ id }, t) =>
      sql`(${t}."CreatorId" = ${id}::uuid and ${t}."Visibility" = ${NoteVisibility.Customer})`,
    exported: noteMembers,
    withheld: ['visibility', 'isPinned'],
    erasure: 'Business',
  }),
  personalRows(ShipmentNote, {
    name: 'internal-shipment-notes',
    where: ({ id }, t) =>
      sql`(${t}."CreatorId" = ${id}::uuid and ${t}."Visibility" = ${NoteVisibility.Internal})`,
    exported: noteMembers,
    permission: ShipmentPermissions.ViewInternalNotes,
    erasure: 'Business',
  }),
  personalRows(Document, {
    name: 'documents',
    of: ['creatorId'],
    exported: [
      ...(['title', 'fileName', 'contentType', 'fileSize', 'version', 'creationTime'] as const),
      ...(['shipmentId', 'orderId', 'organizationId'] as const),
    ],
    permission: DocumentPermissions.View,
    erasure: 'Business',
  }),
  personalRows(ShipmentException, {
    name: 'resolved-exceptions',
    of: ['resolvedById'],
    exported: ['shipmentId', 'resolvedTime', 'resolutionNote'],
    permission: ShipmentPermissions.View,
    erasure: 'Business',
  }),
  personalRows(Organization, {
    name: 'sales-ownership',
    of: ['salesOwnerUserId'],
    exported: ['code', 'fullName'],
    erasure: { salesOwnerUserId: null },
  }),
  // They belong to an organization. They stop by themselves when their owner is gone.
  personalRows(Webhook, {
    name: 'webhooks',
    of: ['ownerId'],
    exported: ['name', 'url', 'eventTypes', 'status', 'creationTime'],
    withheld: [
      ...(['organizationId', 'apiKeyId', 'impersonatorId', 'secret', 'previousSecret'] as const),
      ...(['previousSecretEndTime', 'failingSince'] as const),
    ],
    erasure: 'Business',
  }),
  // Persons who are named on papers and are no users.
  personalRows(ShipmentAddress, {
    name: 'shipment-addresses',
    withheld: ['contactName', 'phone', 'email'],
    erasure: 'Business',
  }),
  personalRows(PackLineDangerousGoods, {
    name: 'emergency-contacts',
    withheld: ['emergencyContact', 'emergencyPhone'],
    erasure: 'Business',
  }),
]
