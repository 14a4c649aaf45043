import { Getter, inject } from '@loopback/core'
import {
  DefaultCrudRepository,
  type HasManyRepositoryFactory,
  juggler,
  repository,
} from '@loopback/repository'
import { settings } from '../settings.js'
import { CodeEntity, Organization, Port, references, Shipment, ShipmentAddress } from './models.js'

export class HubDataSource extends juggler.DataSource {
  static readonly dataSourceName = 'hub'

  constructor() {
    super({ name: 'hub', connector: 'postgresql', url: settings.databaseUrl, max: settings.connections })
  }
}

export class PortRepository extends DefaultCrudRepository<Port, string> {
  constructor(@inject('datasources.hub') dataSource: HubDataSource) {
    super(Port, dataSource)
  }
}

export class CodeEntityRepository extends DefaultCrudRepository<CodeEntity, string> {
  constructor(@inject('datasources.hub') dataSource: HubDataSource) {
    super(CodeEntity, dataSource)
  }
}

export class OrganizationRepository extends DefaultCrudRepository<Organization, string> {
  constructor(@inject('datasources.hub') dataSource: HubDataSource) {
    super(Organization, dataSource)
  }
}

export class ShipmentAddressRepository extends DefaultCrudRepository<ShipmentAddress, string> {
  constructor(@inject('datasources.hub') dataSource: HubDataSource) {
    super(ShipmentAddress, dataSource)
  }
}

export class ShipmentRepository extends DefaultCrudRepository<Shipment, string> {
  readonly addresses: HasManyRepositoryFactory<ShipmentAddress, string>

  constructor(
    @inject('datasources.hub') dataSource: HubDataSource,
    @repository.getter('PortRepository') ports: Getter<PortRepository>,
    @repository.getter('CodeEntityRepository') codes: Getter<CodeEntityRepository>,
    @repository.getter('OrganizationRepository') organizations: Getter<OrganizationRepository>,
    @repository.getter('ShipmentAddressRepository') addresses: Getter<ShipmentAddressRepository>,
  ) {
    super(Shipment, dataSource)
    for (const name of references) {
      const accessor = name.endsWith('Port')
        ? this.createBelongsToAccessorFor(name, ports)
        : name === 'controllingCustomer'
          ? this.createBelongsToAccessorFor(name, organizations)
          : this.createBelongsToAccessorFor(name, codes)
      this.registerInclusionResolver(name, accessor.inclusionResolver)
    }
    this.addresses = this.createHasManyRepositoryFactoryFor('addresses', addresses)
    this.registerInclusionResolver('addresses', this.addresses.inclusionResolver)
  }
}
