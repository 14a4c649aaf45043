import { Application, ambient, Clock, Injectable } from '@keel/framework'
import { BlobStore } from '@keel/framework/blobs'
import {
  BusinessError,
  EntityNotFoundError,
  type FileContent,
  ForbiddenError,
} from '@keel/framework/contracts'
import { BackgroundJobs } from '@keel/framework/jobs'
import { hasPermission } from '@keel/framework/security'
import { PersonAccounts, Reauthentication } from '@keel/identity/contracts'
import { PersonalDataErrors, PersonalDataRequestKind, personalDataLimits } from '../contracts/index.js'
import type { PersonalDataRequest } from '../domain/personal-data-request.js'
import { PersonalDataRequestStore } from '../persistence/personal-data-requests.js'
import { PersonalRecords } from '../persistence/personal-records.js'
import { demandUser } from './notification-service.js'
import { PersonalDataArgs } from './personal-data-runner.js'

/** Takes requests about the data of persons, and hands out their files. */
@Injectable()
export class PersonalDataRequests {
  constructor(
    private readonly requests: PersonalDataRequestStore,
    private readonly records: PersonalRecords,
    private readonly accounts: PersonAccounts,
    private readonly jobs: BackgroundJobs,
    private readonly blobs: BlobStore,
    private readonly application: Application,
    private readonly clock: Clock,
  ) {}

  /** Adds a request with its job, in the unit of work at hand. Answers its id. */
  async add(userId: string, kind: PersonalDataRequestKind): Promise<string> {
    const callerId = demandUser()
    const elsewhere = modulesElsewhere(this.application)
    if (elsewhere.length)
      throw new BusinessError(PersonalDataErrors.ModulesElsewhere, { modules: elsewhere.join(', ') })
    if (!(await this.accounts.find(userId))) throw new BusinessError(PersonalDataErrors.NoSuchPerson)
    await this.requests.lock(callerId)
    const isOwn = userId === callerId
    const most = isOwn ? personalDataLimits.ownPerDay : personalDataLimits.othersPerDay
    if ((await this.requests.countOfDay(callerId, isOwn)) >= most)
      throw new BusinessError(PersonalDataErrors.TooMany, { most })
    if (await this.requests.isOpen(userId, kind)) throw new BusinessError(PersonalDataErrors.UnderWay)
    const omitted = kind === PersonalDataRequestKind.Export ? this.hiddenFromCaller() : []
    const { id } = await this.requests.insert({ userId, kind, omitted })
    await this.jobs.enqueue(new PersonalDataArgs({ requestId: id }))
    return id
  }

  /** The file of an export. Refused to callers who lack a right that its content needs, and once the person was erased. */
  async file(request: PersonalDataRequest): Promise<FileContent> {
    const { blobName, expirationTime, omitted, result } = request
    const absent = new Set([
      ...omitted,
      ...(result ?? []).filter(({ rows }) => rows === 0).map(({ name }) => name),
    ])
    if (this.hiddenFromCaller().some((name) => !absent.has(name))) throw new ForbiddenError()
    const isKept =
      blobName &&
      expirationTime &&
      expirationTime > this.clock.now &&
      !(await this.requests.wasErased(request.userId))
    const blob = isKept ? await this.blobs.find(blobName) : undefined
    if (!blob) throw new BusinessError(PersonalDataErrors.FileExpired)
    return {
      name: `personal-data-${request.userId}.zip`,
      type: 'application/zip',
      size: blob.size,
      stream: () => blob.stream(),
      slice: (start, end) => blob.slice(start, end),
    }
  }

  /** A request that the caller sees, by its id. */
  async find(id: string): Promise<PersonalDataRequest> {
    const request = await this.requests.find(id)
    if (!request) throw new EntityNotFoundError('PersonalDataRequest', id)
    return request
  }

  /** The caller's user. Refuses impersonators, API keys and programs, and callers who have not proved lately who they are. */
  async demandPerson(): Promise<string> {
    const { impersonator, apiKeyId, ranBy } = ambient().principal
    if (impersonator || apiKeyId !== undefined || ranBy !== undefined)
      throw new BusinessError(PersonalDataErrors.NotInPerson)
    const userId = demandUser()
    await this.application.find(Reauthentication)?.demand()
    return userId
  }

  private hiddenFromCaller(): string[] {
    return [...this.records.permissions]
      .filter(([, permission]) => !hasPermission(permission))
      .map(([name]) => name)
  }
}

/** The remote services of contracts that this host calls in other hosts, where their modules keep data that it does not reach. */
function modulesElsewhere({ modules }: Application): string[] {
  const remotes = modules.flatMap(({ options }) => options.remotes ?? [])
  return [...new Set(remotes.map(({ contract }) => contract.service.name))].filter(
    (name) => !modules.some((one) => one.name === name),
  )
}
