import { Injectable } from '@keel/framework'
import { Databases, insertMissing, type SeedContext, Seeder } from '@keel/framework/data'
import { CodeEntity } from '../domain/code-entity.js'
import { Country } from '../domain/country.js'
import { Port } from '../domain/port.js'
import { codeEntities } from './reference/code-entities.js'
import { countries } from './reference/countries.js'
import { ports } from './reference/ports.js'

/** Countries, curated ports and coded lists (domain model, section 8). Rows that exist stay as they are. */
@Injectable()
export class ReferenceDataSeeder extends Seeder {
  constructor(private readonly databases: Databases) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    const added = {
      countries: await insertMissing(this.databases, Country, countries),
      ports: await insertMissing(this.databases, Port, ports),
      codeEntities: await insertMissing(this.databases, CodeEntity, codeEntities),
    }
    logger.info(added, 'reference data seeded')
  }
}
