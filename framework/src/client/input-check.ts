import {
  type ContractOperation,
  compileNormalizer,
  ValidationError,
  type ValidationFault,
} from '../contracts/index.js'

/** The most faults that are told. */
const mostFaults = 200

/**
 * Checks the arguments of a call by the contract, before anything is sent. Throws {@link ValidationError} with the members that the host would name. The
 * messages are the contract's own, in English or keys of texts; rules that only the host knows are not checked.
 */
export function checkInput({ parameters, route }: ContractOperation, args: readonly unknown[]): void {
  const faults: ValidationFault[] = []
  for (const [index, { name, schema, dto }] of parameters.entries()) {
    const value = args[index] ?? (dto && route.verb === 'GET' ? {} : undefined)
    const { error } = schema.safeParse(compileNormalizer(schema)(value))
    for (const { path, message } of error?.issues.slice(0, mostFaults - faults.length) ?? []) {
      const member = [...(dto ? [] : [name]), ...path].reduce<string>(
        (text, key) =>
          typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
        '',
      )
      faults.push({
        message: member ? `${member}: ${message}` : message,
        members: member ? [member] : [],
        text: { key: message },
      })
    }
  }
  if (faults.length) throw new ValidationError(faults)
}
