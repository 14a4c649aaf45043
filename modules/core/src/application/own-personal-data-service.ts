import { AutoApiController, ambient } from '@keel/framework'
import { EntityNotFoundError, type FileContent, type PagedInput } from '@keel/framework/contracts'
import { PageReader } from '@keel/framework/data'
import { Authenticated } from '@keel/framework/security'
import {
  OwnPersonalDataAppService,
  PersonalDataRequestDto,
  PersonalDataRequestKind,
} from '../contracts/index.js'
import { RequestPage, requestView } from '../persistence/personal-data-requests.js'
import { demandUser } from './notification-service.js'
import { PersonalDataRequests } from './personal-data-requests.js'

/** Exports of the caller's own data, for the person in person. */
@AutoApiController(OwnPersonalDataAppService)
@Authenticated()
export class OwnPersonalDataService implements OwnPersonalDataAppService {
  constructor(
    private readonly requests: PersonalDataRequests,
    private readonly pages: PageReader,
  ) {}

  async getList(input: PagedInput): Promise<InstanceType<typeof RequestPage>> {
    const conditions = requestView.equal({ userId: demandUser(), kind: PersonalDataRequestKind.Export })
    return this.pages.page(RequestPage, requestView, {
      ...input,
      defaultSorting: 'creationTime DESC',
      conditions,
    })
  }

  async create(): Promise<PersonalDataRequestDto> {
    const userId = await this.requests.demandPerson()
    const id = await this.requests.add(userId, PersonalDataRequestKind.Export)
    return this.pages.one(PersonalDataRequestDto, requestView, id)
  }

  async getFile(id: string): Promise<FileContent> {
    await this.requests.demandPerson()
    const request = await this.requests.find(id)
    if (request.userId !== ambient().principal.userId)
      throw new EntityNotFoundError('PersonalDataRequest', id)
    return this.requests.file(request)
  }
}
