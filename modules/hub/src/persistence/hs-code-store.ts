import { Injectable } from '@keel/framework'
import { StoreOf, sql } from '@keel/framework/data'
import { HsCode } from '../domain/hs-code.js'

@Injectable()
export class HsCodeStore extends StoreOf(HsCode) {
  /** Those of these codes that there are, deactivated ones too. */
  withCodes(codes: readonly string[]): Promise<HsCode[]> {
    return this.where(sql`t."Code" = any(${codes}::text[])`)
  }
}
