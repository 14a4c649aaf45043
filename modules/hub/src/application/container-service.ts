import { AutoApiController, warnCaller } from '@keel/framework'
import { BusinessError, EntityNotFoundError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, ReferenceSets, RowRules } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  ContainerAppService,
  type ContainerDto,
  type ContainerNumberDto,
  ContainerPermissions,
  type CreateContainerDto,
  HubErrors,
  ShipmentContainerAppService,
  type UpdateContainerDto,
  type ValidateContainerNumberDto,
} from '../contracts/index.js'
import { Container, ShipmentContainer } from '../domain/container.js'
import { containerCheckDigit, isContainerNumber } from '../domain/container-number.js'
import { ContainerType } from '../domain/container-type.js'
import { ContainerStore } from '../persistence/consol-stores.js'
import { ShipmentChildService, StaffChildPermissions } from './shipment-child-service.js'

@AutoApiController(ContainerAppService)
@RequiresPermission(ContainerPermissions)
export class ContainerService extends CrudService(ContainerAppService, Container, {
  searchIn: ['containerNumber', 'sealNumber'],
  defaultSorting: 'creationTime DESC',
  filterBy: ['consolId'],
  checksReferences: true,
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly containers: ContainerStore,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages)
  }

  override async create(input: CreateContainerDto): Promise<ContainerDto> {
    await this.check(input)
    return super.create(input)
  }

  override async update(id: string, input: UpdateContainerDto): Promise<ContainerDto> {
    const given = Object.entries(input).filter(([, value]) => value !== undefined)
    await this.check({ ...((await this.store.get(id)).get() as Container), ...Object.fromEntries(given) })
    return super.update(id, input)
  }

  @RequiresPermission(ContainerPermissions.View)
  async validateNumber({ number }: ValidateContainerNumberDto): Promise<ContainerNumberDto> {
    const text = number.trim().toUpperCase()
    return { isValid: isContainerNumber(text), checkDigit: containerCheckDigit(text) ?? null }
  }

  @RequiresPermission(ContainerPermissions.View)
  async getByNumber(number: string): Promise<ContainerDto> {
    const latest = await this.containers.findByNumber(number.trim().toUpperCase())
    if (!latest) throw new EntityNotFoundError('Container', number)
    return this.get(latest.id)
  }

  /** Refuses a number without its check digit, and a verified mass below that of the cargo. Warns of too heavy cargo. */
  private async check(container: CreateContainerDto): Promise<void> {
    const { containerNumber, containerTypeId, grossWeightKg: gross, vgmWeightKg: verified } = container
    if (containerNumber && !isContainerNumber(containerNumber))
      throw new BusinessError(HubErrors.InvalidContainerNumber, { containerNumber })
    if (gross && verified && verified < gross)
      throw new BusinessError(HubErrors.VgmBelowCargo, { containerNumber, verified, gross })
    const types = await this.references.rows(ContainerType, [containerTypeId])
    const payload = Number(types.value(containerTypeId, 'maxPayloadKg') ?? Number.POSITIVE_INFINITY)
    if (gross && gross > payload) warnCaller(HubErrors.ContainerOverPayload, { gross, payload })
  }
}

@AutoApiController(ShipmentContainerAppService)
@RequiresPermission(StaffChildPermissions)
export class ShipmentContainerService extends ShipmentChildService(
  ShipmentContainerAppService,
  ShipmentContainer,
  { defaultSorting: 'creationTime', checksReferences: true },
) {}
