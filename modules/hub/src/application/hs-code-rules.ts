import { Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { HubErrors } from '../contracts/index.js'
import { chapterOf } from '../domain/hs-code.js'
import { HsCodeStore } from '../persistence/hs-code-store.js'

/** A code of goods that an input gives, and that the row did not have before. */
export interface GivenHsCode {
  /** The member of the input. */
  readonly member: string
  readonly code: string
}

/** What the list of the Harmonized System demands of the codes of goods on lines. */
@Injectable()
export class HsCodeRules {
  constructor(private readonly codes: HsCodeStore) {}

  /**
   * Refuses new codes that the list does not have, or that were deactivated, with `Hub:HsCode:InvalidCode`. A list that lacks the chapter of a code says nothing
   * about it: nobody has to import the list.
   */
  async demandKnown(given: readonly GivenHsCode[]): Promise<void> {
    if (!given.length) return
    const wanted = new Set(given.flatMap(({ code }) => [code, chapterOf(code)]))
    const rows = await this.codes.withCodes([...wanted])
    const known = new Map(rows.map(({ code, isActive }) => [code, isActive]))
    const refused = given.find(({ code }) => known.has(chapterOf(code)) && !known.get(code))
    if (refused) throw new BusinessError(HubErrors.HsCodeInvalid, { ...refused })
  }
}
