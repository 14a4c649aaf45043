/**
 * True for the number of an air waybill: the airline's three digits, seven of the serial and the check digit. A hyphen may stand behind the airline
 * (domain model, section 8.3).
 */
export function isAirWaybill(value: string): boolean {
  const [, serial, digit] = /^\d{3}-?(\d{7})(\d)$/.exec(value) ?? []
  return serial !== undefined && airWaybillCheckDigit(Number(serial)) === Number(digit)
}

/** The check digit of an air waybill: its seven-digit serial modulo 7, hence never above 6. */
export function airWaybillCheckDigit(serial: number): number {
  return serial % 7
}
