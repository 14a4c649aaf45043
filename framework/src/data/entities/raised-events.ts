const raisedEvents = new WeakMap<object, object[]>()

/** Notes that a row has something to tell when it is written next. */
export function raiseEvent(row: object, event: object): void {
  raisedEvents.set(row, [...(raisedEvents.get(row) ?? []), event])
}

/** Whether a row has something to tell. */
export function hasRaised(row: object): boolean {
  return raisedEvents.has(row)
}

/** What a row has to tell, once: whoever takes it tells it. */
export function takeRaised(row: object): readonly object[] {
  const events = raisedEvents.get(row) ?? []
  raisedEvents.delete(row)
  return events
}
