import type { z } from 'zod'
import type { TextReference } from '../contracts/index.js'

type Issue = z.core.$ZodRawIssue

/** The message of a check in a contract may be the key of its text: `.regex(form, 'Hub:Validation:UnLocode')`. */
const textKey = /^(?:\w+:)*Validation:\w+$/
/** Texts of values of the wrong type, by the type that zod expects. */
const types: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'Number',
  int: 'Integer',
  boolean: 'Boolean',
  array: 'List',
  object: 'Object',
  record: 'Object',
}
const formats: Readonly<Record<string, string>> = { guid: 'Guid', uuid: 'Guid', url: 'Url', email: 'Email' }
/** The most own names of a caller in a list. */
const mostNames = 10

/** Texts of checks in a contract, for people: zod's own messages speak to programmers, and in few languages. */
export function textOfCheck(issue: Issue, message: string | undefined): TextReference {
  if (message !== undefined && textKey.test(message)) return { key: message }
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined || issue.input === null) return text('Required')
      return text(types[issue.expected] ?? 'Invalid')
    case 'too_small':
      return limit(issue.origin, 'Minimum', Number(issue.minimum), issue)
    case 'too_big':
      return limit(issue.origin, 'Maximum', Number(issue.maximum), issue)
    case 'invalid_format':
      return text(formats[issue.format] ?? 'Pattern')
    case 'not_multiple_of':
      return text('MultipleOf', { divisor: issue.divisor })
    case 'unrecognized_keys':
      return text('UnknownMembers', { members: issue.keys.slice(0, mostNames).join(', ').slice(0, 200) })
    case 'invalid_value':
      if (issue.input === undefined || issue.input === null) return text('Required')
      return text('Option', { options: issue.values.map(String).join(', ') })
    default:
      return text('Invalid')
  }
}

/** A limit of a number, or of the length of a text or a list. */
function limit(
  origin: string,
  kind: 'Minimum' | 'Maximum',
  limit: number,
  { exact, inclusive }: { readonly exact?: unknown; readonly inclusive?: unknown },
): TextReference {
  const of = origin === 'string' ? 'Length' : ['array', 'set', 'map'].includes(origin) ? 'Items' : ''
  if (of === '') {
    const isOpen = inclusive === false
    return text(isOpen ? (kind === 'Minimum' ? 'MoreThan' : 'LessThan') : kind, { limit })
  }
  if (kind === 'Minimum' && limit === 1) return text(`NotEmpty${of}`)
  return text(`${exact ? 'Exact' : kind}${of}`, { limit })
}

function text(name: string, data?: TextReference['data']): TextReference {
  return { key: `Validation:${name}`, ...(data && { data }) }
}
