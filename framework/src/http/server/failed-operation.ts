const failed = new WeakMap<object, string>()

/** Notes which operation failed to answer a request, as `ShipmentService.create`. */
export function noteFailedOperation(request: object, operation: string): void {
  failed.set(request, operation)
}

/** The operation that failed to answer a request; undefined for what failed before or beside one. */
export function failedOperationOf(request: object): string | undefined {
  return failed.get(request)
}
