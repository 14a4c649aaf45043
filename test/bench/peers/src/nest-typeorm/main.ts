import 'reflect-metadata'
import { Injectable, Module, NotFoundException, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm'
import { type FindOptionsWhere, Repository } from 'typeorm'
import { AuthModule } from '../nest/auth.module.js'
import { EchoController } from '../nest/echo.controller.js'
import type { NewShipment, ShipmentQuery, WindowQuery } from '../nest/inputs.js'
import { PortsController, ShipmentsController, ShipmentsService } from '../nest/shipments.controllers.js'
import { settings } from '../settings.js'
import { CodeEntity, Organization, PascalCaseColumns, Port, Shipment, ShipmentAddress } from './entities.js'

const entities = [Port, CodeEntity, Organization, Shipment, ShipmentAddress]
const references = [
  'firstConsolLegDeparturePort',
  'lastConsolLegArrivalPort',
  'originPort',
  'destinationPort',
  'transportMode',
  'containerMode',
  'incoterm',
  'serviceLevel',
  'releaseType',
  'packageType',
  'controllingCustomer',
]

@Injectable()
class TypeOrmShipments implements ShipmentsService {
  constructor(
    @InjectRepository(Shipment) private readonly shipments: Repository<Shipment>,
    @InjectRepository(Port) private readonly ports: Repository<Port>,
  ) {}

  /**
   * By the query builder with `limit`: all joins are to one row, and `findAndCount` with relations and `take` would first select the
   * distinct ids of the whole join.
   */
  async page({ take, skip, status, departurePortId, arrivalPortId }: ShipmentQuery): Promise<object> {
    const where: FindOptionsWhere<Shipment> = {
      isDeleted: false,
      ...(status !== undefined && { status }),
      ...(departurePortId && { firstConsolLegDeparturePortId: departurePortId }),
      ...(arrivalPortId && { lastConsolLegArrivalPortId: arrivalPortId }),
    }
    const [items, totalCount] = await Promise.all([
      this.withReferences()
        .where(where)
        .orderBy('shipment.creationTime', 'DESC')
        .addOrderBy('shipment.id', 'ASC')
        .limit(take)
        .offset(skip)
        .getMany(),
      this.shipments.countBy(where),
    ])
    return { totalCount, items }
  }

  async portPage({ take, skip }: WindowQuery): Promise<object> {
    const [items, totalCount] = await this.ports.findAndCount({
      where: { isActive: true },
      order: { unLocode: 'ASC', id: 'ASC' },
      take,
      skip,
    })
    return { totalCount, items }
  }

  async get(id: string): Promise<Shipment> {
    const shipment = await this.withReferences()
      .leftJoinAndSelect('shipment.addresses', 'address', 'address.isDeleted = false')
      .where({ id, isDeleted: false })
      .orderBy({ 'address.role': 'ASC', 'address.sequence': 'ASC' })
      .getOne()
    if (!shipment) throw new NotFoundException()
    return shipment
  }

  create({ addresses, ...input }: NewShipment, creatorId: string): Promise<Shipment> {
    return this.shipments.save(
      this.shipments.create({
        ...input,
        creatorId,
        ...(addresses && { addresses: addresses.map((address) => ({ ...address, creatorId })) }),
      }),
    )
  }

  private withReferences() {
    const query = this.shipments.createQueryBuilder('shipment')
    for (const reference of references) query.leftJoinAndSelect(`shipment.${reference}`, reference)
    return query
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: settings.databaseUrl,
      poolSize: settings.connections,
      entities,
      namingStrategy: new PascalCaseColumns(),
    }),
    TypeOrmModule.forFeature(entities),
    AuthModule,
  ],
  controllers: [EchoController, ShipmentsController, PortsController],
  providers: [{ provide: ShipmentsService, useClass: TypeOrmShipments }],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] })
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }))
await app.listen(settings.port)
process.stdout.write('listening\n')
