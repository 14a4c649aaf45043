import { requestSteps } from '../modularity/request-steps.js'
import { columns } from './columns.js'

/** Every step of a request in order: where it stands, its name, what it does and what makes it. */
export function pipelineTable(): string {
  return columns(
    requestSteps.map(({ place, name, does, madeBy: [file, exported] }, index) => [
      String(index + 1),
      place,
      name,
      does,
      `${exported} (framework/src/${file})`,
    ]),
  )
}
