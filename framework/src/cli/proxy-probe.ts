import { createRequire } from 'node:module'
import { join } from 'node:path'
import tls from 'node:tls'
import { pathToFileURL } from 'node:url'
import { type ComparedContracts, compareContracts } from '../client/index.js'
import { compareClocks, type Finding, healthy, problem, warning } from '../modularity/diagnosis.js'
import { InputError } from '../modularity/input-error.js'
import { reportOf } from './doctor.js'

/** The proxies that are looked for when none is named. */
const usualProxies = ['@keel/default-proxy', '@keel/hub-proxy', '@keel/pricing-proxy', '@keel/platform-proxy']
const timeoutMs = 10_000
const dayMs = 86_400_000
/** A certificate that ends sooner is told. */
const soonDays = 21
/** The most differences that are printed of a package. */
const mostPrinted = 40

/**
 * Examines a deployment from outside, as the programs that call it would meet it: whether it answers, its version and clock, its certificate, and
 * whether it has the contracts of the proxies that are installed here. Changes nothing, and needs no credentials.
 */
export async function probeDeployment(
  url: string,
  directory: string,
  named: string | undefined,
): Promise<{ report: string; isWell: boolean }> {
  if (!/^https?:\/\/\S+$/.test(url) || !URL.canParse(url))
    throw new InputError(`${url} is no address: it begins with http:// or https://`)
  const base = url.replace(/\/+$/, '')
  const reached = await reach(base)
  const findings = [...reached.findings, ...(await certificateOf(base))]
  if (reached.answers) findings.push(...(await contractFindings(base, directory, named)))
  return reportOf(findings)
}

/** How often a deployment is asked for its health: the quickest answer tells its clock best. */
const readings = 3

async function reach(base: string): Promise<{ findings: Finding[]; answers: boolean }> {
  try {
    let quickest = await readHealth(base)
    for (let reading = 1; reading < readings; reading++) {
      const next = await readHealth(base)
      if (next.after - next.before < quickest.after - quickest.before) quickest = next
    }
    const { response, before, after } = quickest
    const found = `answers ${response.status} within ${after - before} ms`
    const theirs = Date.parse(response.headers.get('date') ?? '')
    return {
      answers: true,
      findings: [
        response.ok
          ? healthy('Host', found)
          : problem(
              'Host',
              found,
              'Look at its health check: it is not ready, or this is the address of something else.',
            ),
        await versionOf(base),
        // The header has no milliseconds.
        ...(Number.isNaN(theirs) ? [] : [compareClocks('Clock', theirs, before - 1000, after)]),
      ],
    }
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message || message : message
    return {
      answers: false,
      findings: [
        problem('Host', `does not answer: ${reason}`, 'Look at the address, name resolution and firewalls.'),
      ],
    }
  }
}

async function readHealth(base: string): Promise<{ response: Response; before: number; after: number }> {
  const before = Date.now()
  const response = await fetch(`${base}/health/ready`, { signal: AbortSignal.timeout(timeoutMs) })
  await response.arrayBuffer()
  return { response, before, after: Date.now() }
}

async function versionOf(base: string): Promise<Finding> {
  const address = `${base}/api/abp/application-configuration?includeLocalizationResources=false`
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) })
    const { extraProperties } = (await response.json()) as { extraProperties?: Record<string, unknown> }
    const { AppVersion, BuildDate, Environment } = extraProperties ?? {}
    if (AppVersion === undefined) throw new Error('none told')
    return healthy('Version', `${AppVersion} of ${BuildDate}, ${Environment}`)
  } catch {
    return warning('Version', 'is not told', 'Only hosts with the application configuration tell it.')
  }
}

async function certificateOf(base: string): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(base)
  if (protocol === 'http:')
    return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
      ? []
      : [warning('TLS', 'is not used', 'Tokens and keys travel in clear: call it by https.')]
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = tls.connect({
      host,
      port: Number(port || 443),
      ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }),
      // Examined, not used: what is wrong with it is what the report tells.
      rejectUnauthorized: false,
      timeout: timeoutMs,
    })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve([finding])
    }
    socket.once('timeout', () => end(problem('TLS', 'does not answer', 'Look at what ends TLS there.')))
    socket.once('error', ({ message }) => end(problem('TLS', message, 'Look at what ends TLS there.')))
    socket.once('secureConnect', () => {
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / dayMs)
      const found = `${socket.getProtocol()}, certificate valid for ${days} days`
      if (!socket.authorized)
        end(problem('TLS', `${socket.authorizationError}`, 'Give the host a certificate that clients trust.'))
      else if (days < soonDays) end(warning('TLS', found, 'Renew the certificate.'))
      else end(healthy('TLS', found))
    })
  })
}

async function contractFindings(
  base: string,
  directory: string,
  named: string | undefined,
): Promise<Finding[]> {
  const require = createRequire(join(directory, 'package.json'))
  const findings: Finding[] = []
  for (const name of named ? [named] : usualProxies) {
    const file = fileOf(name, require)
    if (file === undefined && !named) continue
    if (file === undefined) throw new InputError(`${name} is no package that can be found from ${directory}`)
    const exported = (await import(pathToFileURL(file).href)) as object
    // A package that is installed by itself has its own copy of the contracts and of what reads them.
    const { compareContracts: own = compareContracts } = exported as {
      compareContracts?: typeof compareContracts
    }
    try {
      findings.push(...told(name, await own(exported, { baseUrl: base, retry: false, timeoutMs })))
    } catch (error) {
      findings.push(
        warning(
          name,
          `cannot be compared: ${(error as Error).message}`,
          'Hosts tell strangers their contracts unless App:IsApiDefinitionPublic is false.',
        ),
      )
      return findings
    }
  }
  if (!findings.length)
    findings.push(
      warning('Contracts', 'are not compared', 'Install a proxy here, or name one behind the address.'),
    )
  return findings
}

function told(name: string, { operations, different, takesIdempotencyKeys }: ComparedContracts): Finding[] {
  const broken = different.filter(({ breaking }) => breaking.length)
  const keys = takesIdempotencyKeys ? 'creations take idempotency keys' : 'idempotency keys are not honoured'
  if (!broken.length) {
    const more = different.length ? `, the host has more in ${different.length}` : ''
    return [healthy(name, `${operations} operations as here${more}; ${keys}`)]
  }
  const lines = broken.flatMap(({ operation, breaking }) =>
    breaking.map(({ field, what }) => `${operation}: ${field} ${what}`.replace('  ', ' ')),
  )
  return lines
    .slice(0, mostPrinted)
    .map((line, index) =>
      problem(
        name,
        line,
        index === 0
          ? `${broken.length} of ${operations} operations differ: bring the host or the package up to date.`
          : '',
      ),
    )
}

function fileOf(name: string, require: NodeJS.Require): string | undefined {
  try {
    return require.resolve(name)
  } catch {
    return undefined
  }
}
