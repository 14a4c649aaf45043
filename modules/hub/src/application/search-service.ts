import { AutoApiController } from '@keel/framework'
import { Authenticated } from '@keel/framework/security'
import { SearchAppService, type SearchHitDto, type SearchInput } from '../contracts/index.js'
import { SearchHits } from '../persistence/search-hits.js'

@AutoApiController(SearchAppService)
export class SearchService implements SearchAppService {
  constructor(private readonly hits: SearchHits) {}

  /** For everybody: what is found depends on the permissions of the caller. */
  @Authenticated()
  getList({ filter, maxResultCount }: SearchInput): Promise<SearchHitDto[]> {
    return this.hits.find(filter, maxResultCount)
  }
}
