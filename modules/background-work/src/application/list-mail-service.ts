import { AutoApiController } from '@keel/framework'
import { ListMails } from '@keel/framework/exports'
import { Authenticated } from '@keel/framework/security'
import { type CreateListMailDto, ListMailAppService, type ListMailDto } from '../contracts/index.js'

@AutoApiController(ListMailAppService)
@Authenticated()
export class ListMailService implements ListMailAppService {
  constructor(private readonly mails: ListMails) {}

  create(input: CreateListMailDto): Promise<ListMailDto> {
    return this.mails.send(input)
  }
}
