import { randomBytes, randomUUID } from 'node:crypto'
import type { OwnField } from '@keel/framework/contracts'

/** The columns of a file of users to be, by ABP's names. */
export const importColumns = {
  userName: { header: 'UserName', kind: 'text' },
  name: { header: 'Name', kind: 'text' },
  surname: { header: 'Surname', kind: 'text' },
  email: { header: 'EmailAddress', kind: 'text' },
  phoneNumber: { header: 'PhoneNumber', kind: 'text' },
  password: { header: 'Password', kind: 'text' },
  roleNames: { header: 'AssignedRoleNames', kind: 'text' },
} as const

/** The last column of a file of refused rows. */
export const reasonColumn = { errorReason: { header: 'ErrorReason', kind: 'text' } } as const

/** The columns of an exported list. */
export const exportColumns = {
  userName: { header: 'UserName', kind: 'text' },
  email: { header: 'EmailAddress', kind: 'text' },
  roleNames: { header: 'Roles', kind: 'text' },
  phoneNumber: { header: 'PhoneNumber', kind: 'text' },
  name: { header: 'Name', kind: 'text' },
  surname: { header: 'Surname', kind: 'text' },
  isActive: { header: 'Active', kind: 'boolean' },
  lockoutEnabled: { header: 'AccountLockout', kind: 'boolean' },
  emailConfirmed: { header: 'EmailConfirmed', kind: 'boolean' },
  twoFactorEnabled: { header: 'TwoFactorEnabled', kind: 'boolean' },
  accessFailedCount: { header: 'AccessFailedCount', kind: 'number' },
  creationTime: { header: 'CreationTime', kind: 'instant' },
  lastModificationTime: { header: 'LastModificationTime', kind: 'instant' },
} as const

/** A row of a file of users to be, as it was written. */
export type ImportRow = { readonly [N in keyof typeof importColumns]: string | null }

/** The rows of the sample file, with random passwords: an unchanged import publishes no password. */
export const sampleRows = (): readonly ImportRow[] => [
  {
    userName: 'ada',
    name: 'Ada',
    surname: 'Lovelace',
    email: 'ada@example.com',
    phoneNumber: '+44 20 7946 0000',
    password: randomPassword(),
    roleNames: 'DefaultCustomer',
  },
  {
    userName: 'grace',
    name: 'Grace',
    surname: 'Hopper',
    email: 'grace@example.com',
    phoneNumber: null,
    password: randomPassword(),
    roleNames: 'DefaultCustomer, Operator',
  },
]

/** The value of an own field in the sample file: its default, and one that fits where it is required; undefined for others. */
export function sampleValueOf({ type, required, min, maxLength, values, ...field }: OwnField): unknown {
  if (field.default !== undefined) return values?.[String(field.default)] ?? field.default
  if (!required) return undefined
  const samples: Record<OwnField['type'], unknown> = {
    text: 'Sample'.slice(0, maxLength),
    integer: min ?? 1,
    decimal: min ?? 1,
    boolean: true,
    date: '2026-01-31',
    instant: '2026-01-31T12:00:00Z',
    enumeration: Object.values(values ?? {})[0],
    guid: randomUUID(),
  }
  return samples[type]
}

/** Fits the rules for passwords that hold by default. */
function randomPassword(): string {
  return `${randomBytes(9).toString('base64url')}aA1*`
}

/** The roles of a cell, between commas or semicolons; undefined for the default ones. */
export function rolesOf(cell: string | null): string[] | undefined {
  const names = (cell ?? '').split(/[,;]/).map((name) => name.trim())
  const given = names.filter(Boolean)
  return given.length ? given : undefined
}
