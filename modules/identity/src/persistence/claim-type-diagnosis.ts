import { Diagnosis, type Finding, healthy, Injectable, warning } from '@keel/framework'
import { Claims } from './claims.js'

/** Looks for claim types whose values cannot be checked, and are refused for that. */
@Injectable()
export class ClaimTypeDiagnosis extends Diagnosis {
  constructor(private readonly claims: Claims) {
    super()
  }

  async examine(): Promise<readonly Finding[]> {
    try {
      const names = await this.claims.unusableTypes()
      if (!names.length) return [healthy('Claim types', 'all regular expressions are compared with')]
      const found = `no value is compared with the regular expressions of ${names.join(', ')}, nor taken`
      return [warning('Claim types', found, 'Give them expressions of PostgreSQL without back references.')]
    } catch {
      // The diagnosis of databases tells of one that does not answer, or lacks tables.
      return []
    }
  }
}
