import { Injectable } from '@keel/framework'
import { missingRows, type SeedContext, Seeder, Stores } from '@keel/framework/data'
import { CodeEntity } from '../domain/code-entity.js'
import { Country } from '../domain/country.js'
import { Port } from '../domain/port.js'
import { codeEntities } from './reference/code-entities.js'
import { countries } from './reference/countries.js'
import { ports } from './reference/ports.js'

/** Countries, curated ports and coded lists (domain model, section 8). Rows that exist stay as they are. */
@Injectable()
export class ReferenceDataSeeder extends Seeder {
  constructor(private readonly stores: Stores) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    const added = {
      countries: (await this.stores.of(Country).insertMany(countries, missingRows)).inserted,
      ports: (await this.stores.of(Port).insertMany(ports, missingRows)).inserted,
      codeEntities: (await this.stores.of(CodeEntity).insertMany(codeEntities, missingRows)).inserted,
    }
    logger.info(added, 'reference data seeded')
  }
}
