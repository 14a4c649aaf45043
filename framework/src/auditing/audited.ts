type Mark = 'audited' | 'disabled'
/** Stands on a class, or on one of its members, which then decides alone. */
type AuditDecorator = (target: object, member?: string) => void

/** By prototype; the mark of the class itself stands under no name. */
const marks = new WeakMap<object, Map<string, Mark>>()
const ofClass = ''

/**
 * Keeps changes of an entity, one of its columns or calls of a service in the audit log, where {@link
 * DisableAuditing} on the class says otherwise. Without either they are kept.
 */
export function Audited(): AuditDecorator {
  return mark('audited')
}

/**
 * Keeps an entity, one of its columns, a service or one of its operations out of the audit log: what nobody
 * should read there, or what changes too often to be told.
 * @example @DisableAuditing() @Column(DataType.TEXT) declare content: string
 */
export function DisableAuditing(): AuditDecorator {
  return mark('disabled')
}

function mark(value: Mark): AuditDecorator {
  return (target, member = ofClass) => {
    const prototype = typeof target === 'function' ? (target.prototype as object) : target
    marks.set(prototype, (marks.get(prototype) ?? new Map<string, Mark>()).set(member, value))
  }
}

/** True when a class member is audited: by its own mark, else the class's, else yes. Marks are inherited. */
export function isAudited(target: { readonly prototype: object }, member: string): boolean {
  return (find(target.prototype, member) ?? find(target.prototype, ofClass)) !== 'disabled'
}

function find(prototype: object | null, member: string): Mark | undefined {
  if (!prototype || prototype === Object.prototype) return undefined
  return marks.get(prototype)?.get(member) ?? find(Object.getPrototypeOf(prototype) as object | null, member)
}
