import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AnyAppService, type AnyDto, genericOf } from '../contracts/index.js'
import type { Application, LocalService } from './application.js'
import { type Declaration, declarationsOf } from './documented-code.js'
import { programFilesBelow, runningFileOf } from './source-place.js'
import { parseTsdoc, type Tsdoc, wholeText } from './tsdoc.js'

/** An enumeration's comment and those of its members. */
export interface EnumerationTexts {
  readonly doc: Tsdoc | undefined
  readonly members: ReadonlyMap<string, Tsdoc | undefined>
}

interface Found extends Declaration {
  readonly file: string
  /** The folder that the declarations of a package have in common. */
  readonly folder: string
}

/** The functions that make the DTOs of paging shapes. */
const makers: Readonly<Record<string, string>> = {
  PagedResultDto: 'pageOf',
  ListResultDto: 'listResultOf',
  PagedResultWithFiltersDto: 'facetedPageOf',
}
/** Members that mean the same in every DTO. */
const commonMembers: Readonly<Record<string, Tsdoc>> = Object.fromEntries(
  Object.entries({
    concurrencyStamp:
      'Changes whenever the entity does. A change with a stamp that is no longer current is refused with 409.',
    extraProperties: 'Values that other programs keep with the entity, by name.',
    tenantId: 'The tenant that it belongs to; null for the host.',
    creationTime: 'When it was created.',
    creatorId: 'The id of the user who created it; null when the program did.',
    lastModificationTime: 'When it was changed last; null when it never was.',
    lastModifierId:
      'The id of the user who changed it last; null when it never was, or when the program did.',
    isDeleted: 'Whether it was deleted.',
    deletionTime: 'When it was deleted; null when it was not.',
    deleterId: 'The id of the user who deleted it; null when it was not, or when the program did.',
    correlationId: 'The id of the request, as in its `X-Correlation-Id`.',
    providerName: 'The kind of holder: `U` user, `R` role, `C` client, `AK` API key.',
    providerKey: 'Which holder: a user id, the name of a role, a client id or the id of a key.',
  }).map(([name, text]) => [name, parseTsdoc(`/** ${text} */`)]),
)

const frameworkContracts = fileURLToPath(new URL('../contracts/', import.meta.url))

/**
 * The TSDoc of the contracts that an application is composed of, for documents that people read. Compilers
 * keep comments, so it is read from the programs that run: `contracts/` beside a module or a service, and
 * their own files. Programs whose comments were removed give no texts.
 */
export class ContractTexts {
  private readonly byName = new Map<string, Found[]>()

  private constructor(application: Application) {
    const types = [
      ...application.modules.map(({ type }) => type),
      ...application.localServices.map(({ service }) => service),
    ]
    const own = new Map<string, string>()
    for (const file of types.map((type) => runningFileOf(type))) {
      if (file === undefined || !existsSync(file)) continue
      const folder = packageFolder(file)
      for (const each of [...programFilesBelow(join(folder, 'contracts')), file]) own.set(each, folder)
    }
    for (const file of programFilesBelow(frameworkContracts)) own.set(file, dirname(frameworkContracts))
    for (const [file, folder] of own) this.read(file, folder)
  }

  private static readonly known = new WeakMap<Application, ContractTexts>()

  /**
   * The texts of an application: read once, when they are first asked for. Ask when all services are known.
   */
  static of(application: Application): ContractTexts {
    const known = ContractTexts.known.get(application) ?? new ContractTexts(application)
    ContractTexts.known.set(application, known)
    return known
  }

  /** Of a service contract. */
  ofService(local: LocalService): Tsdoc | undefined {
    return this.serviceOf(local)?.doc
  }

  /** Of an operation; the five of `crud` have the framework's. */
  ofOperation(local: LocalService, name: string): Tsdoc | undefined {
    const service = this.serviceOf(local)
    return service && this.memberOf(service, name)
  }

  /**
   * The purpose of an operation's parameter: `@param` of the operation, else the comment of the constant of
   * this name that declares it.
   */
  ofParameter(local: LocalService, operation: string, name: string): string | undefined {
    const service = this.serviceOf(local)
    if (!service) return undefined
    const told = this.memberOf(service, operation)?.parameters[name]
    if (told) return told
    const constants = (this.byName.get(name) ?? []).filter(({ folder }) => folder === service.folder)
    const { doc } = constants.find(({ file }) => file === service.file) ?? constants[0] ?? {}
    return doc && wholeText(doc)
  }

  /** Of a DTO class. */
  ofDto(dto: AnyDto): Tsdoc | undefined {
    return this.dtoOf(dto)?.doc
  }

  /**
   * Of a member of a DTO: where it is written or where the DTO has it from, else what the name means
   * everywhere.
   */
  ofMember(dto: AnyDto | undefined, name: string): Tsdoc | undefined {
    const found = dto && this.dtoOf(dto)
    return (found && this.memberOf(found, name)) ?? commonMembers[name]
  }

  /** Of an enumeration, by its name. */
  ofEnumeration(name: string): EnumerationTexts | undefined {
    return this.byName.get(name)?.find(({ members }) => members.size > 0)
  }

  private read(file: string, folder: string): void {
    for (const declaration of declarationsOf(readFileSync(file, 'utf8'))) {
      const sameName = this.byName.get(declaration.name) ?? []
      this.byName.set(declaration.name, sameName)
      sameName.push({ ...declaration, file, folder })
    }
  }

  private serviceOf({ contract, service }: LocalService): Found | undefined {
    const { name, operations } = (contract as AnyAppService).contract
    const file = runningFileOf(service)
    const found = this.byName.get(name) ?? []
    const folder = file && packageFolder(file)
    return found.find((one) => one.folder === folder) ?? bestOf(found, operations)
  }

  private dtoOf(dto: AnyDto): Found | undefined {
    const generic = genericOf(dto)
    const found = this.byName.get(generic ? (makers[generic.definition] ?? '') : dto.name)
    return found && bestOf(found, new Map(Object.entries(dto.shape)))
  }

  private memberOf(declaration: Found, name: string, seen = new Set<Found>()): Tsdoc | undefined {
    if (seen.has(declaration)) return undefined
    seen.add(declaration)
    const own = declaration.members.get(name)
    if (own) return own
    for (const used of declaration.uses) {
      // A member that is written as its name alone is documented where the name is declared.
      if (used.startsWith('.')) {
        const constant = used === `.${name}` ? this.nearest(name, declaration) : undefined
        if (constant?.doc) return constant.doc
        continue
      }
      const base = this.nearest(used, declaration)
      const inherited = base && this.memberOf(base, name, seen)
      if (inherited) return inherited
    }
    return undefined
  }

  /**
   * The declaration that a name in a file refers to: in this file, else in the same package, else elsewhere.
   */
  private nearest(name: string, { file, folder }: Found): Found | undefined {
    const found = this.byName.get(name) ?? []
    return found.find((one) => one.file === file) ?? found.find((one) => one.folder === folder) ?? found.at(0)
  }
}

/**
 * The declaration of a name whose members are all there at run time, and most of them; several packages may
 * use one name.
 */
function bestOf(found: readonly Found[], actual: ReadonlyMap<string, unknown>): Found | undefined {
  const fitting = found.filter(({ members }) => [...members.keys()].every((name) => actual.has(name)))
  const sorted = [...(fitting.length ? fitting : found)].sort((a, b) => b.members.size - a.members.size)
  return sorted[0]
}

/**
 * The folder of a package's programs: what stands before `application/`, `contracts/` and the module's file.
 */
function packageFolder(file: string): string {
  return /^.*\/(?:src|dist)(?=\/)/.exec(file)?.[0] ?? dirname(file)
}
