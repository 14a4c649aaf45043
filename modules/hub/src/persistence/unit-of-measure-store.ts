import { Injectable } from '@keel/framework'
import { StoreOf, sql } from '@keel/framework/data'
import { UnitOfMeasure } from '../domain/unit-of-measure.js'

@Injectable()
export class UnitOfMeasureStore extends StoreOf(UnitOfMeasure) {
  /** Those of these codes that there are, deactivated ones too. */
  withCodes(codes: readonly string[]): Promise<UnitOfMeasure[]> {
    return this.where(sql`t."Code" = any(${codes}::text[])`)
  }
}
