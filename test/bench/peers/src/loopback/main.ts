import 'reflect-metadata'
import {
  AuthenticationComponent,
  authenticate,
  registerAuthenticationStrategy,
} from '@loopback/authentication'
import { inject } from '@loopback/core'
import { RepositoryMixin, repository } from '@loopback/repository'
import {
  get,
  getModelSchemaRef,
  HttpErrors,
  param,
  post,
  RestApplication,
  requestBody,
  response,
} from '@loopback/rest'
import { SecurityBindings, securityId, type UserProfile } from '@loopback/security'
import { settings } from '../settings.js'
import { JwtStrategy } from './authentication.js'
import { NewShipment, references, type Shipment } from './models.js'
import {
  CodeEntityRepository,
  HubDataSource,
  OrganizationRepository,
  PortRepository,
  ShipmentAddressRepository,
  ShipmentRepository,
} from './repositories.js'

const takeSchema = { type: 'integer', minimum: 1, maximum: 1000, default: 10 } as const
const skipSchema = { type: 'integer', minimum: 0, default: 0 } as const
const included = references.map((relation) => ({ relation }))

@authenticate('jwt')
class EchoController {
  @get('/echo')
  echo(): object {
    return { text: 'Hello', number: 42 }
  }
}

@authenticate('jwt')
class PortController {
  constructor(@repository(PortRepository) private readonly ports: PortRepository) {}

  @get('/ports')
  async page(
    @param.query.number('take', { schema: takeSchema }) take = 10,
    @param.query.number('skip', { schema: skipSchema }) skip = 0,
  ): Promise<object> {
    const where = { isActive: true }
    const [items, { count }] = await Promise.all([
      this.ports.find({ where, order: ['unLocode ASC', 'id ASC'], limit: take, skip }),
      this.ports.count(where),
    ])
    return { totalCount: count, items }
  }
}

@authenticate('jwt')
class ShipmentController {
  constructor(@repository(ShipmentRepository) private readonly shipments: ShipmentRepository) {}

  @get('/shipments')
  async page(
    @param.query.number('take', { schema: takeSchema }) take = 10,
    @param.query.number('skip', { schema: skipSchema }) skip = 0,
    @param.query.integer('status') status?: number,
    @param.query.string('departurePortId') departurePortId?: string,
    @param.query.string('arrivalPortId') arrivalPortId?: string,
  ): Promise<object> {
    const where = {
      isDeleted: false,
      ...(status !== undefined && { status }),
      ...(departurePortId && { firstConsolLegDeparturePortId: departurePortId }),
      ...(arrivalPortId && { lastConsolLegArrivalPortId: arrivalPortId }),
    }
    const [items, { count }] = await Promise.all([
      this.shipments.find({
        where,
        include: included,
        order: ['creationTime DESC', 'id ASC'],
        limit: take,
        skip,
      }),
      this.shipments.count(where),
    ])
    return { totalCount: count, items }
  }

  @get('/shipments/{id}')
  async get(@param.path.string('id', { schema: { format: 'uuid' } }) id: string): Promise<Shipment> {
    const shipment = await this.shipments.findOne({
      where: { id, isDeleted: false },
      include: [
        ...included,
        {
          relation: 'addresses',
          scope: { where: { isDeleted: false }, order: ['role ASC', 'sequence ASC'] },
        },
      ],
    })
    if (!shipment) throw new HttpErrors.NotFound()
    return shipment
  }

  @post('/shipments')
  @response(201)
  async create(
    @requestBody({ content: { 'application/json': { schema: getModelSchemaRef(NewShipment) } } })
    { addresses, ...values }: NewShipment,
    @inject(SecurityBindings.USER) user: UserProfile,
  ): Promise<object> {
    const creatorId = user[securityId]
    if (!addresses) return this.shipments.create({ ...values, creatorId })
    const transaction = await this.shipments.dataSource.beginTransaction({ isolationLevel: 'READ COMMITTED' })
    try {
      const shipment = await this.shipments.create({ ...values, creatorId }, { transaction })
      const created = []
      for (const address of addresses)
        created.push(
          await this.shipments.addresses(shipment.id).create({ ...address, creatorId }, { transaction }),
        )
      await transaction.commit()
      return { ...shipment.toJSON(), addresses: created }
    } catch (error) {
      await transaction.rollback()
      throw error
    }
  }
}

const app = new (RepositoryMixin(RestApplication))({ rest: { port: settings.port, host: '127.0.0.1' } })
app.component(AuthenticationComponent)
registerAuthenticationStrategy(app, JwtStrategy)
app.dataSource(HubDataSource)
app.repository(PortRepository)
app.repository(CodeEntityRepository)
app.repository(OrganizationRepository)
app.repository(ShipmentAddressRepository)
app.repository(ShipmentRepository)
app.controller(EchoController)
app.controller(PortController)
app.controller(ShipmentController)
await app.start()
process.stdout.write('listening\n')
