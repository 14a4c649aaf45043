import { Injectable } from '@keel/framework'
import { missingRows, type SeedContext, Seeder, Stores } from '@keel/framework/data'
import { Carrier } from '../domain/carrier.js'
import { CodeEntity } from '../domain/code-entity.js'
import { ContainerType } from '../domain/container-type.js'
import { Country } from '../domain/country.js'
import { DangerousSubstance } from '../domain/dangerous-substance.js'
import { EmissionFactor } from '../domain/emission.js'
import { Port } from '../domain/port.js'
import { UnitOfMeasure } from '../domain/unit-of-measure.js'
import { codeEntities } from './reference/code-entities.js'
import { countries } from './reference/countries.js'
import { emissionFactors } from './reference/emission-factors.js'
import { ports } from './reference/ports.js'
import { carriers, containerTypes, dangerousSubstances } from './reference/transport.js'
import { unitsOfMeasure } from './reference/units.js'

/** Countries, curated ports, coded lists, units, carriers, container types and dangerous goods (domain model, section 8). Rows that exist stay as they are. */
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
      unitsOfMeasure: (await this.stores.of(UnitOfMeasure).insertMany(unitsOfMeasure, missingRows)).inserted,
      carriers: (await this.stores.of(Carrier).insertMany(carriers, missingRows)).inserted,
      containerTypes: (await this.stores.of(ContainerType).insertMany(containerTypes, missingRows)).inserted,
      emissionFactors: (await this.stores.of(EmissionFactor).insertMany(emissionFactors, missingRows))
        .inserted,
      dangerousSubstances: (
        await this.stores.of(DangerousSubstance).insertMany(dangerousSubstances, missingRows)
      ).inserted,
    }
    logger.info(added, 'reference data seeded')
  }
}
