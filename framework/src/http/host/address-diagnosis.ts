import { baseUrlOf } from '../../client/remote-services.js'
import { Application } from '../../modularity/application.js'
import { Diagnosis, type Finding, healthy, problem, warning } from '../../modularity/diagnosis.js'
import { Injectable } from '../../modularity/injectable.js'
import { isLocalAddress } from '../../modularity/local-address.js'
import { allowedOrigins } from '../server/cors.js'
import { App } from './http-host.js'

/**
 * Looks at the addresses of a host: its own, the proxies before it, the origins that may call it and the
 * services it calls.
 */
@Injectable()
export class AddressDiagnosis extends Diagnosis {
  constructor(private readonly application: Application) {
    super()
  }

  async examine(): Promise<readonly Finding[]> {
    return [this.address(), this.proxies(), this.origins(), this.details(), ...(await this.services())]
  }

  private get isDevelopment(): boolean {
    return this.application.configuration.isDevelopment
  }

  private address(): Finding {
    const { selfUrl } = this.application.configuration.read(App)
    return this.isDevelopment || (!isLocalAddress(selfUrl) && selfUrl.startsWith('https:'))
      ? healthy('Own address', selfUrl)
      : warning(
          'Own address',
          `${selfUrl} is no public address with TLS`,
          'Set App:SelfUrl to what clients call.',
        )
  }

  private proxies(): Finding {
    const { selfUrl, trustedProxies } = this.application.configuration.read(App)
    // This host speaks no TLS itself: an https address means that somebody stands in front.
    return selfUrl.startsWith('https:') && trustedProxies === 0
      ? problem(
          'Forwarded headers',
          'a proxy ends TLS, but none is trusted: every caller seems to come from it',
          'Set App:TrustedProxies to how many stand in front, usually 1.',
        )
      : healthy('Forwarded headers', trustedProxies ? `of ${trustedProxies} proxies` : 'not looked at')
  }

  private origins(): Finding {
    const origins = allowedOrigins(this.application.configuration)
    const odd = origins.filter((origin) => origin !== '*' && !/^https?:\/\/[^/?#@\s]+$/.test(origin))
    if (odd.length)
      return problem(
        'CORS',
        `${odd.join(', ')} ${odd.length === 1 ? 'is no origin' : 'are no origins'}`,
        'Write scheme, host and port alone in App:CorsOrigins and App:AllowedCorsOrigins.',
      )
    return origins.includes('*') && !this.isDevelopment
      ? warning('CORS', 'pages of every origin may call', 'Name them in App:CorsOrigins.')
      : healthy('CORS', origins.join(', ') || 'no other origins')
  }

  private details(): Finding {
    const { sendExceptionDetails } = this.application.configuration.read(App)
    return sendExceptionDetails && !this.isDevelopment
      ? warning(
          'Error details',
          'callers see stacks',
          'Set App:SendExceptionDetails to false where strangers call.',
        )
      : healthy('Error details', sendExceptionDetails ? 'sent to callers' : 'kept here')
  }

  private services(): Promise<readonly Finding[]> {
    const remotes = this.application.modules.flatMap(({ options }) => options.remotes ?? [])
    const names = [...new Set(remotes.map(({ contract }) => contract.service.name))]
    return Promise.all(names.map((name) => this.service(name)))
  }

  private async service(name: string): Promise<Finding> {
    const subject = `Service ${name}`
    const cure = `Start it, or set RemoteServices:${name}:BaseUrl.`
    try {
      const address = baseUrlOf(name, (key) => this.application.configuration.get(key))
      const { status } = await fetch(`${address}/health/live`, { signal: AbortSignal.timeout(5000) })
      return status === 200
        ? healthy(subject, address)
        : problem(subject, `${address} answers ${status}`, cure)
    } catch (error) {
      return problem(subject, (error as Error).message, cure)
    }
  }
}
