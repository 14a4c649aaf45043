/**
 * Time after an event of Hub after which its change is written once more. A request that had read Hub before the change may write what it read until it ends; none takes
 * this long.
 */
export const secondPassMs = 300_000
