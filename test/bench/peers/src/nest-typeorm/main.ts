import 'reflect-metadata'
import {
  Body,
  Controller,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseUUIDPipe,
  Post,
  Query,
  Req,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm'
import { type FindOptionsWhere, Repository } from 'typeorm'
import { type AuthenticatedRequest, AuthModule } from '../nest/auth.module.js'
import { EchoController } from '../nest/echo.controller.js'
import { NewShipment, ShipmentQuery, WindowQuery } from '../nest/inputs.js'
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
class ShipmentsService {
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

@Controller('shipments')
class ShipmentsController {
  constructor(private readonly service: ShipmentsService) {}

  @Get()
  page(@Query() query: ShipmentQuery): Promise<object> {
    return this.service.page(query)
  }

  @Get(':id')
  get(@Param('id', ParseUUIDPipe) id: string): Promise<Shipment> {
    return this.service.get(id)
  }

  @Post()
  create(@Body() input: NewShipment, @Req() { user }: AuthenticatedRequest): Promise<Shipment> {
    return this.service.create(input, user.sub)
  }
}

@Controller('ports')
class PortsController {
  constructor(private readonly service: ShipmentsService) {}

  @Get()
  page(@Query() query: WindowQuery): Promise<object> {
    return this.service.portPage(query)
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
  providers: [ShipmentsService],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] })
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }))
await app.listen(settings.port)
process.stdout.write('listening\n')
