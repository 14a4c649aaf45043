/** The header of answers of operations with the hash of the operation's contract, see `operationHash`. */
export const contractHeader = 'x-keel-contract'
/** The path at which a host describes the contracts that it serves. */
export const contractPath = '/api/abp/contract'
