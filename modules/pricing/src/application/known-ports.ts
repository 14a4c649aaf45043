import { Injectable } from '@keel/framework'
import { BusinessError, type LookupDto } from '@keel/framework/contracts'
import { PortAppService } from '@keel/hub/contracts'
import { PricingErrors } from '../contracts/index.js'

/** The ports that Hub knows. */
@Injectable()
export class KnownPorts {
  constructor(private readonly ports: PortAppService) {}

  /**
   * Refuses codes that no active port of Hub has.
   * @param before the codes that the row has so far: it keeps ports that were deactivated later
   */
  async demand(
    codes: readonly (string | null | undefined)[],
    before: readonly (string | null | undefined)[] = [],
  ): Promise<void> {
    for (const code of new Set(codes)) if (code && !before.includes(code)) await this.idOf(code)
  }

  /** The id in Hub of the port with a code. */
  async idOf(unLocode: string): Promise<string> {
    const port = await this.find(unLocode)
    if (!port) throw new BusinessError(PricingErrors.UnknownPort, { unLocode })
    return port.id
  }

  /** The name of a port with its code; the code alone where Hub knows no such port any more. */
  async shownName(unLocode: string): Promise<string> {
    const port = await this.find(unLocode)
    return port ? `${port.name} (${unLocode})` : unLocode
  }

  /** The active port with a code. */
  async find(unLocode: string): Promise<LookupDto | undefined> {
    const found = await this.ports.getLookup({ filter: unLocode, maxResultCount: 50 })
    return found.find(({ code }) => code === unLocode)
  }
}
