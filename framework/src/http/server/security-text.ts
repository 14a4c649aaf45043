import type { RequestHandler } from 'express'
import { z } from '../../contracts/index.js'
import type { Application } from '../../modularity/application.js'
import { configurationSection } from '../../modularity/configuration.js'

const address = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/

const addresses = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((all) => all.every((one) => address.test(one)), {
    message: 'must be addresses that begin with mailto:, https:// or tel:, with commas between them',
  })
  .optional()

/** Where weaknesses are reported. */
export const SecurityText = configurationSection('App', {
  /** Addresses by preference, with commas between them: `mailto:security@example.com`. */
  securityContact: addresses,
  /** The page that says what a finder may expect. */
  securityPolicyUrl: z.url({ protocol: /^https$/ }).optional(),
})

const dayMs = 86_400_000
/** Copies are valid for this many days. */
const validDays = 90

/** Answers `/.well-known/security.txt` (RFC 9116); undefined where `App:SecurityContact` is not set. */
export function securityText({ configuration, clock }: Application): RequestHandler | undefined {
  const { securityContact, securityPolicyUrl } = configuration.read(SecurityText)
  if (!securityContact) return undefined
  return (_request, response) => {
    const today = Math.floor(clock.nowMs / dayMs) * dayMs
    const lines = [
      ...securityContact.map((one) => `Contact: ${one}`),
      `Expires: ${new Date(today + validDays * dayMs).toISOString()}`,
      'Preferred-Languages: en',
      ...(securityPolicyUrl ? [`Policy: ${securityPolicyUrl}`] : []),
    ]
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.setHeader('cache-control', 'public, max-age=86400')
    response.end(`${lines.join('\n')}\n`)
  }
}
