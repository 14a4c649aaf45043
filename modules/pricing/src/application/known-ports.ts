import { Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { PortAppService } from '@keel/hub/contracts'
import { PricingErrors } from '../contracts/index.js'

/** The ports that Hub knows. */
@Injectable()
export class KnownPorts {
  constructor(private readonly ports: PortAppService) {}

  /** Refuses codes that no active port of Hub has. */
  async demand(codes: readonly (string | null | undefined)[]): Promise<void> {
    for (const code of new Set(codes)) if (code) await this.idOf(code)
  }

  /** The id in Hub of the port with a code. */
  async idOf(unLocode: string): Promise<string> {
    const found = await this.ports.getLookup({ filter: unLocode, maxResultCount: 50 })
    const port = found.find(({ code }) => code === unLocode)
    if (!port) throw new BusinessError(PricingErrors.UnknownPort, { unLocode })
    return port.id
  }
}
