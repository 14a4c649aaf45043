import { AutoApiController, ambient } from '@keel/framework'
import { BusinessError, type FileContent, ForbiddenError } from '@keel/framework/contracts'
import { PageReader } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { PersonAccounts } from '@keel/identity/contracts'
import {
  type ErasePersonInput,
  PersonalDataErrors,
  PersonalDataPermissions,
  PersonalDataRequestAppService,
  PersonalDataRequestDto,
  PersonalDataRequestKind,
  type PersonalDataRequestListInput,
  type PersonInput,
} from '../contracts/index.js'
import { RequestPage, requestView } from '../persistence/personal-data-requests.js'
import { PersonalDataRequests } from './personal-data-requests.js'

@AutoApiController(PersonalDataRequestAppService)
@RequiresPermission(PersonalDataPermissions.View)
export class PersonalDataRequestService implements PersonalDataRequestAppService {
  constructor(
    private readonly requests: PersonalDataRequests,
    private readonly accounts: PersonAccounts,
    private readonly pages: PageReader,
  ) {}

  get(id: string): Promise<PersonalDataRequestDto> {
    return this.pages.one(PersonalDataRequestDto, requestView, id)
  }

  async getList({
    userId,
    kind,
    status,
    ...input
  }: PersonalDataRequestListInput): Promise<InstanceType<typeof RequestPage>> {
    const conditions = requestView.equal({ userId, kind, status })
    return this.pages.page(RequestPage, requestView, {
      ...input,
      defaultSorting: 'creationTime DESC',
      conditions,
    })
  }

  @RequiresPermission(PersonalDataPermissions.Export)
  async exportPerson({ userId }: PersonInput): Promise<PersonalDataRequestDto> {
    return this.get(await this.requests.add(userId, PersonalDataRequestKind.Export))
  }

  @RequiresPermission(PersonalDataPermissions.Erase)
  async previewErasure({ userId }: PersonInput): Promise<PersonalDataRequestDto> {
    return this.get(await this.requests.add(userId, PersonalDataRequestKind.Preview))
  }

  /** The account is closed in the transaction that adds the request: from its commit on nobody acts as the person. */
  @RequiresPermission(PersonalDataPermissions.Erase)
  async erasePerson({ userId, userName }: ErasePersonInput): Promise<PersonalDataRequestDto> {
    const account = await this.accounts.find(userId)
    if (!account) throw new BusinessError(PersonalDataErrors.NoSuchPerson)
    if (account.userName.toLowerCase() !== userName.toLowerCase())
      throw new BusinessError(PersonalDataErrors.WrongUserName)
    await this.accounts.close(userId)
    return this.get(await this.requests.add(userId, PersonalDataRequestKind.Erasure))
  }

  @RequiresPermission(PersonalDataPermissions.Export)
  async getFile(id: string): Promise<FileContent> {
    const request = await this.requests.find(id)
    if (request.creatorId !== ambient().principal.userId) throw new ForbiddenError()
    return this.requests.file(request)
  }
}
