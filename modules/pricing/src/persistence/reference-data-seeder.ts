import { Injectable } from '@keel/framework'
import { missingRows, type SeedContext, Seeder, Stores } from '@keel/framework/data'
import { ChargeCode } from '../domain/charge-code.js'
import { Currency } from '../domain/currency.js'
import { chargeCodes } from './reference/charge-codes.js'
import { currencies } from './reference/currencies.js'

/** Currencies and charge codes (domain model, sections 1.7 and 8). Rows that exist stay as they are. */
@Injectable()
export class ReferenceDataSeeder extends Seeder {
  constructor(private readonly stores: Stores) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    const added = {
      currencies: (await this.stores.of(Currency).insertMany(currencies, missingRows)).inserted,
      chargeCodes: (await this.stores.of(ChargeCode).insertMany(chargeCodes, missingRows)).inserted,
    }
    logger.info(added, 'reference data seeded')
  }
}
