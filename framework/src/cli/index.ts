export { biomeVersion, type SolutionRequest, writeSolution } from './solution-new.js'
