import { airWaybillCheckDigit } from '../../domain/air-waybill.js'
import type { Draws } from './random.js'

/** Standard carrier alpha codes of shipping lines; their master bills begin with it. */
const shippingLines = 'MAEU MSCU CMDU COSU HLCU ONEY EGLV HDMU YMLU ZIMU OOLU WHLC PABV'.split(' ')

/** Airlines: prefix of their air waybills, and of their flight numbers. */
const airlines = (
  '020-LH 176-EK 157-QR 172-CV 160-CX 618-SQ 180-KE 235-TK 297-CI 695-BR 999-CA ' +
  '057-AF 074-KL 125-BA 016-UA 001-AA 006-DL 071-ET 205-NH 023-FX 406-5X'
).split(' ')

const vesselAdjectives =
  'Northern Golden Silver Eastern Pacific Atlantic Morning Bright Distant Steady'.split(' ')
const vesselNouns = 'Meridian Compass Horizon Lantern Harbour Beacon Current Voyager Anchor Tern'.split(' ')

/** Every ship that a shipment may name. */
export const vesselNames: readonly string[] = vesselAdjectives.flatMap((adjective) =>
  vesselNouns.map((noun) => `${adjective} ${noun}`),
)

/** The main leg as the carrier's papers name it. */
export interface Carriage {
  masterBillNumber: string | null
  vesselName: string | null
  voyageFlightNumber: string | null
}

/** Draws the carrier of a shipment of this mode and its numbers; trucks and trains have none. */
export function drawCarriage(mode: string, draws: Draws): Carriage {
  if (mode === 'Sea') {
    return {
      masterBillNumber: draws.pick(shippingLines) + draws.digits(9),
      vesselName: `${draws.pick(vesselAdjectives)} ${draws.pick(vesselNouns)}`,
      voyageFlightNumber: draws.digits(3) + draws.pick(['E', 'W', 'N', 'S']),
    }
  }
  if (mode === 'Air') {
    const airline = draws.pick(airlines)
    const serial = draws.below(10_000_000)
    return {
      masterBillNumber: `${airline.slice(0, 3)}-${String(serial).padStart(7, '0')}${airWaybillCheckDigit(serial)}`,
      vesselName: null,
      voyageFlightNumber: airline.slice(4) + (100 + draws.below(8_900)),
    }
  }
  return { masterBillNumber: null, vesselName: null, voyageFlightNumber: null }
}
