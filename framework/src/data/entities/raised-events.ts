const raisedEvents = new WeakMap<object, object[]>()

/** Records an event of a row, which is published with its next write. */
export function raiseEvent(row: object, event: object): void {
  raisedEvents.set(row, [...(raisedEvents.get(row) ?? []), event])
}

/** True when a row has raised events that are not published yet. */
export function hasRaised(row: object): boolean {
  return raisedEvents.has(row)
}

/** Takes the events that a row raised. The caller publishes them. */
export function takeRaised(row: object): readonly object[] {
  const events = raisedEvents.get(row) ?? []
  raisedEvents.delete(row)
  return events
}
