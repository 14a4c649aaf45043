/**
 * True for the number of an air waybill: the airline's three digits, seven of the serial and the check digit, which is the serial
 * modulo 7. A hyphen may stand behind the airline (domain model, section 8.3).
 */
export function isAirWaybill(value: string): boolean {
  const [, serial, digit] = /^\d{3}-?(\d{7})(\d)$/.exec(value) ?? []
  return serial !== undefined && Number(serial) % 7 === Number(digit)
}
