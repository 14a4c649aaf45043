import { namedGuid } from '@keel/framework/data'
import { AirProhibition, CarrierType, PackingGroup } from '../../contracts/enumerations.js'

/** Shipping lines by their standard carrier alpha code, and airlines by the prefix of their waybills (domain model, section 8.3). */
const shippingLines =
  'MAEU Maersk;MSCU MSC;CMDU CMA CGM;COSU COSCO;HLCU Hapag-Lloyd;ONEY Ocean Network Express;EGLV Evergreen;HDMU HMM;' +
  'YMLU Yang Ming;ZIMU ZIM;OOLU OOCL;WHLC Wan Hai;PABV Pacific International Lines'
const airlines =
  '020 LH Lufthansa Cargo;176 EK Emirates SkyCargo;157 QR Qatar Airways Cargo;172 CV Cargolux;160 CX Cathay Cargo;' +
  '618 SQ Singapore Airlines Cargo;180 KE Korean Air Cargo;235 TK Turkish Cargo;297 CI China Airlines Cargo;695 BR EVA Air Cargo;' +
  '999 CA Air China Cargo;057 AF Air France Cargo;074 KL KLM Cargo;125 BA British Airways;016 UA United Cargo;' +
  '001 AA American Airlines Cargo;006 DL Delta Cargo;071 ET Ethiopian Cargo;205 NH All Nippon Airways;023 FX FedEx;406 5X UPS'

const scacLine = (text: string) => ({
  code: text.slice(0, 4),
  name: text.slice(5),
  carrierType: CarrierType.Ocean,
  scacCode: text.slice(0, 4),
  iataCode: null,
  awbPrefix: null,
})
const airline = (text: string) => ({
  code: text.slice(4, 6),
  name: text.slice(7),
  carrierType: CarrierType.Air,
  scacCode: null,
  iataCode: text.slice(4, 6),
  awbPrefix: text.slice(0, 3),
})

/** Rows of HubCarriers. */
export const carriers = [...shippingLines.split(';').map(scacLine), ...airlines.split(';').map(airline)].map(
  (carrier) => ({ id: namedGuid(`Carrier:${carrier.code}`), ...carrier }),
)

/** ISO code, name of the trade, TEU, tare and payload in kg, m³ (domain model, section 1.7). */
const containerRows =
  '22G1 20GP 1 2230 28250 33.2;42G1 40GP 2 3740 26760 67.7;45G1 40HC 2 3900 28600 76.3;L5G1 45HC 2.25 4800 27700 86.0;' +
  '22R1 20RE 1 3080 27400 28.3;45R1 40RH 2 4640 29360 67.5;22U1 20OT 1 2350 28130 32.5;42U1 40OT 2 3850 26630 65.5;' +
  '22P3 20FR 1 2900 31100 -;42P3 40FR 2 5300 39700 -;22T1 20TK 1 3700 26780 24.0'
const bodies: Readonly<Record<string, string>> = {
  G: 'general purpose',
  R: 'reefer',
  U: 'open top',
  P: 'flat rack',
  T: 'tank',
}

/** Rows of HubContainerTypes. */
export const containerTypes = containerRows.split(';').map((row) => {
  const [isoCode = '', alias = '', teu = '', tare, payload, capacity] = row.split(' ')
  const [body = ''] = isoCode.slice(2)
  const height = isoCode[1] === '5' ? ' high cube' : ''
  return {
    id: namedGuid(`ContainerType:${isoCode}`),
    isoCode,
    alias,
    name: `${alias.slice(0, 2)} ft${height} ${bodies[body]}`,
    lengthFt: alias.slice(0, 2),
    teu,
    tareWeightKg: Number(tare),
    maxPayloadKg: Number(payload),
    capacityM3: capacity === '-' ? null : (capacity ?? null),
    isReefer: body === 'R',
    isOpenTop: body === 'U',
    isFlatRack: body === 'P',
    isTank: body === 'T',
  }
})

/** UN number, class, packing group or 0, name; an exclamation mark where passenger aircraft do not take it. */
const substanceRows = [
  '1263 3 2 PAINT',
  '1266 3 2 PERFUMERY PRODUCTS',
  '1950 2.1 0 AEROSOLS, flammable',
  '1993 3 2 FLAMMABLE LIQUID, N.O.S.',
  '1170 3 2 ETHANOL',
  '1824 8 2 SODIUM HYDROXIDE SOLUTION',
  '2794 8 0 BATTERIES, WET, FILLED WITH ACID',
  '3077 9 3 ENVIRONMENTALLY HAZARDOUS SUBSTANCE, SOLID, N.O.S.',
  '3082 9 3 ENVIRONMENTALLY HAZARDOUS SUBSTANCE, LIQUID, N.O.S.',
  '3480 9 0!LITHIUM ION BATTERIES',
  '3481 9 0 LITHIUM ION BATTERIES PACKED WITH EQUIPMENT',
  '3090 9 0!LITHIUM METAL BATTERIES',
  '3091 9 0 LITHIUM METAL BATTERIES PACKED WITH EQUIPMENT',
  '1845 9 0 CARBON DIOXIDE, SOLID (DRY ICE)',
  '2014 5.1 2 HYDROGEN PEROXIDE, AQUEOUS SOLUTION',
  '1219 3 2 ISOPROPANOL',
]

/** Rows of HubDangerousSubstances. */
export const dangerousSubstances = substanceRows.map((row) => {
  const [, unNumber = '', hazardClass = '', group, mark, properShippingName = ''] =
    /^(\d{4}) ([\d.]+) (\d)([ !])(.+)$/.exec(row) ?? []
  return {
    id: namedGuid(`DangerousSubstance:${unNumber}`),
    unNumber,
    variant: '',
    properShippingName,
    hazardClass,
    packingGroup: group === '0' ? null : (Number(group) as PackingGroup),
    isMarinePollutant: unNumber === '3077' || unNumber === '3082',
    airProhibition: mark === '!' ? AirProhibition.CargoAircraftOnly : AirProhibition.Allowed,
  }
})
