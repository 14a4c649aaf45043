import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { z } from '../contracts/index.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'
import { lazily } from '../modularity/lazily.js'

const cidrForm = /^([\d.]+|[\da-f:.]*:[\da-f:.]*)\/(\d{1,3})$/i
const hostAndPortForm = /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i

/** The internal addresses that hosts may call when a user enters them. */
export const OutwardSettings = configurationSection('App', {
  /**
   * A comma list of addresses inside the network that administrators may enter, as mail server or provider:
   * `host:port` as they write it, or the range of a network (`10.1.0.0/16`), at any port.
   */
  allowedInternalAddresses: z
    .string()
    .default('')
    .refine(
      (text) => listOf(text).every((one) => isRange(one) || hostAndPortForm.test(one)),
      'wants host:port or ranges like 10.1.0.0/16, with commas between',
    ),
})

/** A host and port, as somebody entered it. */
export interface OutwardAddress {
  readonly host: string
  readonly port: number
}

/** An internal address that is not allowed. The error shows nothing of the target: no connection was made. */
export class InternalAddressError extends Error {
  constructor({ host, port }: OutwardAddress) {
    super(
      `${host}:${port} is inside the network. When that is wanted, add it to App:AllowedInternalAddresses.`,
    )
    this.name = 'InternalAddressError'
  }
}

/**
 * Resolves addresses that administrators enter, and refuses those inside the network: of this machine,
 * private, link-local (where clouds keep their metadata), shared, reserved. What they reach would otherwise
 * tell them about machines that only this host sees. Development refuses none. Callers connect to the answer
 * ({@link pinnedTo}): a name that is resolved again may lead elsewhere.
 */
export class OutwardAddresses {
  private readonly isGuarded: boolean
  private readonly allowed: ReadonlySet<string>
  private readonly allowedRanges: BlockList

  /** @param configured addresses that come of the host's own configuration */
  constructor(configuration: Configuration, configured: readonly OutwardAddress[] = []) {
    this.isGuarded = !configuration.isDevelopment
    const entries = listOf(configuration.read(OutwardSettings).allowedInternalAddresses)
    this.allowed = new Set([
      ...configured.map(keyOf),
      ...entries.filter((one) => !isRange(one)).map(entryKey),
    ])
    this.allowedRanges = rangesOf(entries.filter(isRange))
  }

  /** All addresses of a host. {@link InternalAddressError} when one is internal and not allowed. */
  async resolve(address: OutwardAddress, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const found = await addressesOf(withoutBrackets(address.host), signal)
    const isAllowed = !this.isGuarded || this.allowed.has(keyOf(address))
    if (!isAllowed && found.some((one) => isInternal(one) && !isIn(this.allowedRanges, one)))
      throw new InternalAddressError(address)
    return found
  }
}

/** True when an address uses TLS, or is on this machine. False for a text that is not an address. */
export function isTrustworthyAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === 'localhost')
}

/** A `lookup` for sockets that knows these addresses alone. */
export function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  const [first] = addresses
  return (_host, { all }, done) => {
    if (all) done(null, [...addresses])
    else done(null, first?.address ?? '', first?.family)
  }
}

/** True when an address is of this machine or of a network that the internet does not lead to. */
export function isInternal(address: LookupAddress): boolean {
  const isReserved = isIn(reserved(), address) || (address.family === 6 && !isIn(worldwide(), address))
  return isReserved || ownAddresses().has(withoutZone(address.address))
}

const reserved = lazily(() =>
  rangesOf([
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
    // Teredo and other protocols, examples, and 6to4, which has an IPv4 address in it.
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
  ]),
)

/** The part of IPv6 that the internet uses, without mapped IPv4, local and multicast addresses. */
const worldwide = lazily(() => rangesOf(['2000::/3']))

function ownAddresses(): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return new Set(interfaces.map(({ address }) => withoutZone(address)))
}

/** The system's resolver can not be stopped: who waits for it can. */
function addressesOf(host: string, signal: AbortSignal): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    lookup(host, { all: true }, (error, found) => {
      signal.removeEventListener('abort', stop)
      if (error) reject(error)
      else resolve(found)
    })
  })
}

function isIn(ranges: BlockList, { address, family }: LookupAddress): boolean {
  return ranges.check(withoutZone(address), family === 6 ? 'ipv6' : 'ipv4')
}

function rangesOf(list: readonly string[]): BlockList {
  const ranges = new BlockList()
  for (const range of list) {
    const [address = '', bits] = range.split('/')
    ranges.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return ranges
}

function isRange(text: string): boolean {
  const [, address = '', bits] = cidrForm.exec(text) ?? []
  const family = isIP(address)
  return family > 0 && Number(bits) <= (family === 6 ? 128 : 32)
}

function entryKey(entry: string): string {
  const [, literal, name, port] = hostAndPortForm.exec(entry) ?? []
  return keyOf({ host: literal ?? name ?? '', port: Number(port) })
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

const keyOf = ({ host, port }: OutwardAddress): string => `${withoutBrackets(host).toLowerCase()} ${port}`
const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
const withoutZone = (address: string): string => address.replace(/%.*$/, '')
