import { Body, Controller, Get, Param, ParseUUIDPipe, Post, Query, Req } from '@nestjs/common'
import type { AuthenticatedRequest } from './auth.module.js'
import { NewShipment, ShipmentQuery, WindowQuery } from './inputs.js'

/** What the controllers call: the class of each peer that reads and writes by its own library. */
export abstract class ShipmentsService {
  abstract page(query: ShipmentQuery): Promise<object>
  abstract portPage(query: WindowQuery): Promise<object>
  /** Throws `NotFoundException` when there is no such shipment. */
  abstract get(id: string): Promise<object>
  abstract create(input: NewShipment, creatorId: string): Promise<object>
}

@Controller('shipments')
export class ShipmentsController {
  constructor(private readonly service: ShipmentsService) {}

  @Get()
  page(@Query() query: ShipmentQuery): Promise<object> {
    return this.service.page(query)
  }

  @Get(':id')
  get(@Param('id', ParseUUIDPipe) id: string): Promise<object> {
    return this.service.get(id)
  }

  @Post()
  create(@Body() input: NewShipment, @Req() { user }: AuthenticatedRequest): Promise<object> {
    return this.service.create(input, user.sub)
  }
}

@Controller('ports')
export class PortsController {
  constructor(private readonly service: ShipmentsService) {}

  @Get()
  page(@Query() query: WindowQuery): Promise<object> {
    return this.service.portPage(query)
  }
}
