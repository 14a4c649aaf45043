import { type FileContent, faultOf, featureOf, ValidationError } from '../contracts/index.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { demandFeatures, requiredFeatures } from '../modularity/required-feature.js'
import type { LocalService } from '../modularity/service-bindings.js'
import { compileInputCheck } from '../modularity/validation.js'
import { admission } from '../security/authorization.js'
import type { SpreadsheetFormat } from '../spreadsheets/index.js'

const operations = { xlsx: 'getListAsExcelFile', csv: 'getListAsCsvFile' } as const
const longestParameters = 20_000

/** A list as a file, by name: for work that begins later than its request. */
export interface ListFileRequest {
  /** The module and the feature of the contract: `Hub.Port`. */
  readonly list: string
  readonly format: SpreadsheetFormat
  /** The members of the input of `getListAsExcelFile`, as JSON has them: the filters and the order of the list. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/**
 * The name of a list that has files, e.g. `Hub.Port`: that of a contract with `exportable()`, or with operations of the same names. Undefined
 * for others, and for files that everybody may read who has a token of theirs.
 */
export function listNameOf({ contract: { contract }, service }: LocalService): string | undefined {
  const hasFiles = Object.values(operations).every(
    (name) => contract.operations.has(name) && admission(service, name) !== undefined,
  )
  return hasFiles ? `${contract.service.name}.${featureOf(contract.name)}` : undefined
}

/** Reads the lists of this host as files, in the name of the caller. */
@Injectable()
export class ListFiles {
  constructor(private readonly application: Application) {}

  /** Refuses a list that this host does not have. */
  find(list: string): LocalService {
    const local = this.application.localServices.find((service) => listNameOf(service) === list)
    if (!local) throw new ValidationError([faultOf('list', 'ListMail:UnknownList')])
    return local
  }

  /** Refuses a file that {@link read} would refuse now: for its permission, its features or its parameters. */
  async demand({ list, format, parameters }: ListFileRequest): Promise<void> {
    const { contract, service } = this.find(list)
    const operation = operations[format]
    admission(service, operation)?.()
    await demandFeatures(this.application.features, requiredFeatures(service, operation))
    if (JSON.stringify(parameters).length > longestParameters)
      throw new ValidationError([faultOf('parameters', 'ListMail:ParametersTooLong')])
    const [input] = contract.contract.operations.get(operation)?.parameters ?? []
    const { faults } = input?.dto ? compileInputCheck(input.dto)(parameters) : { faults: [] }
    if (faults.length)
      throw new ValidationError(
        faults.map((fault) => ({ ...fault, members: fault.members.map((member) => `parameters.${member}`) })),
      )
  }

  /** Calls the operation as a request would: with its guard, its features and the row rules of the caller. */
  read({ list, format, parameters }: ListFileRequest): Promise<FileContent> {
    const files = this.application.get(this.find(list).contract) as unknown as Record<
      string,
      (input: object) => Promise<FileContent>
    >
    return (files[operations[format]] as (input: object) => Promise<FileContent>)(parameters)
  }
}
