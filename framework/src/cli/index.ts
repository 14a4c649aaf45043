export { InputError } from './input-error.js'
export { biomeVersion, type SolutionRequest, writeSolution } from './solution-new.js'
