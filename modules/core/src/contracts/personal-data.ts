import {
  AppService,
  Dto,
  EntityDto,
  enumeration,
  file,
  guid,
  id,
  instant,
  op,
  PagedInput,
  pageOf,
  secret,
  z,
} from '@keel/framework/contracts'
import { Core } from './core.js'

/** Error codes of requests about personal data. */
export const PersonalDataErrors = {
  /** There never was such a user. */
  NoSuchPerson: 'App:PersonalData:NoSuchPerson',
  /** The name that was typed is not that of the person. */
  WrongUserName: 'App:PersonalData:WrongUserName',
  /** A request of the same kind about the person waits or runs. */
  UnderWay: 'App:PersonalData:UnderWay',
  /** The caller has made as many requests within a day as {@link personalDataLimits} allows. */
  TooMany: 'App:PersonalData:TooMany',
  FileExpired: 'App:PersonalData:FileExpired',
  /** A module of the product runs in another host, whose data this one does not reach. */
  ModulesElsewhere: 'App:PersonalData:ModulesElsewhere',
  /** An erasure or export failed after all attempts. */
  Failed: 'App:PersonalData:Failed',
  /** Own data is handed out to the person alone: not to an impersonator, an API key or a program. */
  NotInPerson: 'App:PersonalData:NotInPerson',
} as const

/** Bounds of requests about personal data. */
export const personalDataLimits = {
  /** Days for which the file of an export is kept. */
  fileDays: 7,
  /** Days for which the record of a request is kept: how long one must be able to show that a person was erased. */
  recordDays: 1095,
  /** Exports of the own data within a day. */
  ownPerDay: 3,
  /** Requests about others within a day. */
  othersPerDay: 200,
  /** Rows of one kind in an export. */
  rowsPerKind: 1_000_000,
} as const

/** What is done with the data of a person. */
export enum PersonalDataRequestKind {
  /** A zip file with everything about the person. */
  Export = 0,
  /** Counts what an erasure would do, and changes nothing. */
  Preview = 1,
  /** Deletes the account, and deletes or pseudonymizes what the law does not keep. */
  Erasure = 2,
}

/** The state of a request. */
export enum PersonalDataRequestStatus {
  Queued = 0,
  Running = 1,
  Succeeded = 2,
  Failed = 3,
}

/** What became of the rows of one kind, or would become of them. */
export class PersonalDataResultDto extends Dto({
  /** The kind of data: a text `PersonalData:<name>` names it. @example "saved-views" */
  name: z.string(),

  /** Omitted is what the caller may not see. */
  outcome: z.enum(['Exported', 'Omitted', 'Deleted', 'Pseudonymized', 'Kept']),

  /** Why rows are kept: a text `PersonalData:Kept:<reason>`; null for rows that are not. */
  reason: z.enum(['Accountability', 'Business', 'ShortLived']).nullable(),

  /** How many rows; null when nothing links them to a user. */
  rows: z.int().nullable(),
}) {}

/** A request about the data of a person. */
export class PersonalDataRequestDto extends EntityDto({
  /** The person. */
  userId: guid(),
  kind: enumeration('PersonalDataRequestKind', PersonalDataRequestKind),
  status: enumeration('PersonalDataRequestStatus', PersonalDataRequestStatus),

  /** The user who made the request. */
  creatorId: guid().nullable(),
  creationTime: instant(),
  startTime: instant().nullable(),
  endTime: instant().nullable(),

  /** By kind of data; absent until the request has ended. */
  result: z.array(PersonalDataResultDto.schema).nullish(),

  /** Bytes of the file; null without a file. */
  fileSize: z.int().nullable(),

  /** Until when the file can be downloaded; null without a file. */
  expirationTime: instant().nullable(),

  /** The code of what went wrong; null when nothing did. */
  error: z.string().nullable(),
}) {}

/** The input of the list of requests. */
export class PersonalDataRequestListInput extends Dto({
  ...PagedInput.shape,
  userId: guid().nullish(),
  kind: enumeration('PersonalDataRequestKind', PersonalDataRequestKind).nullish(),
  status: enumeration('PersonalDataRequestStatus', PersonalDataRequestStatus).nullish(),
}) {}

/** A person. */
export class PersonInput extends Dto({ userId: guid() }) {}

/** A person to erase. */
export class ErasePersonInput extends Dto({
  userId: guid(),

  /** The user name of the person, typed to confirm. No log keeps it: the person would stay in it. */
  userName: secret(z.string().trim().min(1).max(256)),
}) {}

/** Requests about the data of persons: exports, erasures and what these would do. They run as jobs. */
export abstract class PersonalDataRequestAppService extends AppService(
  Core,
  'PersonalDataRequestAppService',
  {
    /** Gets a request. */
    get: op(id).returns(PersonalDataRequestDto),
    /** Lists requests, in pages, newest first. */
    getList: op(PersonalDataRequestListInput).returns(pageOf(PersonalDataRequestDto)),
    /** Begins an export of everything about a person. */
    exportPerson: op(PersonInput).returns(PersonalDataRequestDto),
    /** Begins to count what erasing a person would do. */
    previewErasure: op(PersonInput).returns(PersonalDataRequestDto),
    /** Deletes the account of a person at once, and begins to erase the person. It can not be undone. */
    erasePerson: op(ErasePersonInput).returns(PersonalDataRequestDto),
    /** Downloads the file of an export that the caller asked for, for 7 days. */
    getFile: op(id).returns(file('application/zip')),
  },
) {}

/** The data of the person who calls. */
export abstract class OwnPersonalDataAppService extends AppService(Core, 'OwnPersonalDataAppService', {
  /** Lists the exports of the own data, in pages, newest first. */
  getList: op(PagedInput).returns(pageOf(PersonalDataRequestDto)).at('GET', '/api/app/own-personal-data'),
  /** Begins an export of everything about the caller. */
  create: op().returns(PersonalDataRequestDto).at('POST', '/api/app/own-personal-data'),
  /** Downloads the file of an export of the own data, for 7 days. */
  getFile: op(id).returns(file('application/zip')).at('GET', '/api/app/own-personal-data/{id}/file'),
}) {}
