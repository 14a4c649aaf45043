import { ODataError, say } from '../syntax/odata-error.js'
import type { ODataAnswer, ODataRequest } from './odata-answer.js'

/** The version a caller wants and the beginning of control information in it. */
export interface Version {
  readonly version: '4.0' | '4.01'
  readonly prefix: '@odata.' | '@'
}

/** The version of callers that name none. */
export const version40: Version = { version: '4.0', prefix: '@odata.' }
const v401: Version = { version: '4.01', prefix: '@' }

/** An answer that says its version. */
export function withVersion(answer: ODataAnswer, { version }: Version): ODataAnswer {
  return { ...answer, headers: { ...answer.headers, 'odata-version': version } }
}

/** 4.0, or 4.01 where the caller asks for it. Callers that know nothing newer than 3.0 are refused. */
export function versionOf({ headers }: ODataRequest): Version {
  const ceiling = headers['odata-maxversion']?.trim()
  const own = headers['odata-version']?.trim()
  for (const [name, value] of [
    ['OData-MaxVersion', ceiling],
    ['OData-Version', own],
  ] as const)
    if (value !== undefined && !/^([4-9]|\d{2})\.\d{1,2}$/.test(value))
      throw new ODataError(400, say`The header ${name} must be 4.0 or later, not '${value.slice(0, 20)}'.`, {
        target: name,
      })
  return ceiling !== undefined && Number(ceiling) >= 4.01 ? v401 : version40
}
