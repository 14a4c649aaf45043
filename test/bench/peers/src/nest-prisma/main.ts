import 'reflect-metadata'
import { Injectable, Module, NotFoundException, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../.generated/prisma/client.js'
import { AuthModule } from '../nest/auth.module.js'
import { EchoController } from '../nest/echo.controller.js'
import type { NewShipment, ShipmentQuery, WindowQuery } from '../nest/inputs.js'
import { PortsController, ShipmentsController, ShipmentsService } from '../nest/shipments.controllers.js'
import { settings } from '../settings.js'

@Injectable()
class PrismaService extends PrismaClient {
  constructor() {
    super({
      adapter: new PrismaPg({ connectionString: settings.databaseUrl, max: settings.connections }),
      omit: {
        port: { isActive: true },
        shipment: {
          isDeleted: true,
          originPortId: true,
          destinationPortId: true,
          incotermId: true,
          serviceLevelId: true,
          releaseTypeId: true,
          packageTypeId: true,
          controllingCustomerId: true,
        },
        shipmentAddress: { shipmentId: true, isDeleted: true, creationTime: true, creatorId: true },
      },
    })
  }
}

const references = {
  firstConsolLegDeparturePort: true,
  lastConsolLegArrivalPort: true,
  originPort: true,
  destinationPort: true,
  transportMode: true,
  containerMode: true,
  incoterm: true,
  serviceLevel: true,
  releaseType: true,
  packageType: true,
  controllingCustomer: true,
} satisfies Prisma.ShipmentInclude

@Injectable()
class PrismaShipments implements ShipmentsService {
  constructor(private readonly prisma: PrismaService) {}

  async page({ take, skip, status, departurePortId, arrivalPortId }: ShipmentQuery): Promise<object> {
    const where = {
      isDeleted: false,
      ...(status !== undefined && { status }),
      ...(departurePortId && { firstConsolLegDeparturePortId: departurePortId }),
      ...(arrivalPortId && { lastConsolLegArrivalPortId: arrivalPortId }),
    } satisfies Prisma.ShipmentWhereInput
    const [items, totalCount] = await Promise.all([
      this.prisma.shipment.findMany({
        where,
        include: references,
        orderBy: [{ creationTime: 'desc' }, { id: 'asc' }],
        take,
        skip,
      }),
      this.prisma.shipment.count({ where }),
    ])
    return { totalCount, items }
  }

  async portPage({ take, skip }: WindowQuery): Promise<object> {
    const where = { isActive: true }
    const [items, totalCount] = await Promise.all([
      this.prisma.port.findMany({ where, orderBy: [{ unLocode: 'asc' }, { id: 'asc' }], take, skip }),
      this.prisma.port.count({ where }),
    ])
    return { totalCount, items }
  }

  async get(id: string): Promise<object> {
    const shipment = await this.prisma.shipment.findFirst({
      where: { id, isDeleted: false },
      include: {
        ...references,
        addresses: { where: { isDeleted: false }, orderBy: [{ role: 'asc' }, { sequence: 'asc' }] },
      },
    })
    if (!shipment) throw new NotFoundException()
    return shipment
  }

  create({ addresses, ...input }: NewShipment, creatorId: string): Promise<object> {
    return this.prisma.shipment.create({
      data: {
        ...input,
        creatorId,
        ...(addresses && { addresses: { create: addresses.map((address) => ({ ...address, creatorId })) } }),
      },
      ...(addresses && { include: { addresses: true } }),
    })
  }
}

@Module({
  imports: [AuthModule],
  controllers: [EchoController, ShipmentsController, PortsController],
  providers: [PrismaService, { provide: ShipmentsService, useClass: PrismaShipments }],
})
class AppModule {}

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
  logger: ['error', 'warn'],
})
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }))
await app.listen(settings.port)
process.stdout.write('listening\n')
