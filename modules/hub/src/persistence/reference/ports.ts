import { namedGuid } from '@keel/framework/data'
import { countryId } from './countries.js'

/** A row of HubPorts; columns that are absent take their defaults. */
export interface PortRow {
  id: string
  unLocode: string
  name: string
  nameWoDiacritics: string
  countryId: string
  countryCode: string
  iataCode: string | null
  functionCodes: string
  isSeaport: boolean
  isRailTerminal: boolean
  isRoadTerminal: boolean
  isAirport: boolean
  isInlandDepot: boolean
  latitude: number
  longitude: number
  coordinateSource: number
  timeZone: string
  isOverridden: boolean
}

/** CoordinateSource of a position that we looked after ourselves. */
const Curated = 1

/**
 * Rows where the official list would do harm, so that an import leaves flags and position alone: under the
 * first six codes carriers book sea freight though UN/LOCODE knows only an airport, and CNYTN lies elsewhere
 * there.
 */
const overridden = new Set(['CNSHA', 'CNNGB', 'CNTAO', 'CNXMN', 'CNDLC', 'CNCAN', 'CNYTN'])

/** UN/LOCODE function classifiers: 1 is a sea port, 4 an airport. */
const Sea = '1-------'
const Air = '---4----'
const Both = '1--4----'

type PortTuple = readonly [
  code: string,
  name: string,
  latitude: number,
  longitude: number,
  functions: string,
  iata?: string,
]

/** The ports we ship with, by time zone. An airport's IATA code is the end of its UN/LOCODE unless given. */
// biome-ignore format: one row a line
const portsByTimeZone: Readonly<Record<string, readonly PortTuple[]>> = {
  'Asia/Shanghai': [
    ['CNSHA', 'Shanghai', 31.23, 121.48, Sea],
    ['CNSGH', 'Shanghai', 31.23, 121.48, Sea],
    ['CNNGB', 'Ningbo', 29.92, 121.85, Sea],
    ['CNNBG', 'Ningbo Pt', 29.92, 121.85, Sea],
    ['CNTAO', 'Qingdao', 36.08, 120.32, Sea],
    ['CNQDG', 'Qingdao Pt', 36.08, 120.32, Sea],
    ['CNYTN', 'Yantian Pt', 22.57, 114.27, Sea],
    ['CNSHK', 'Shekou Pt', 22.48, 113.92, Sea],
    ['CNNSA', 'Nansha Pt', 22.68, 113.65, Sea],
    ['CNTXG', 'Tianjin Xingang Pt', 38.98, 117.7, Sea],
    ['CNXMN', 'Xiamen', 24.45, 118.07, Sea],
    ['CNXMG', 'Xiamen Pt', 24.35, 118.2, Sea],
    ['CNDLC', 'Dalian', 38.93, 121.65, Sea],
    ['CNLYG', 'Lianyungang', 34.72, 119.43, Sea],
    ['CNPVG', 'Shanghai Pudong', 31.15, 121.8, Air],
    ['CNPEK', 'Beijing', 40.08, 116.59, Air],
    ['CNCAN', 'Guangzhou', 23.39, 113.3, Both],
    ['CNSZX', 'Shenzhen', 22.64, 113.81, Air],
    ['CNCGO', 'Zhengzhou', 34.53, 113.84, Air],
    ['CNCTU', 'Chengdu', 30.58, 103.96, Air],
  ],
  'Asia/Hong_Kong': [
    ['HKHKG', 'Hong Kong', 22.34, 114.13, Sea],
  ],
  'Asia/Taipei': [
    ['TWKHH', 'Kaohsiung', 22.63, 120.3, Sea],
    ['TWKEL', 'Keelung', 25.13, 121.75, Sea],
    ['TWTPE', 'Taipei', 25.15, 121.38, Both],
  ],
  'Asia/Seoul': [
    ['KRPUS', 'Busan', 35.13, 129.05, Sea],
    ['KRINC', 'Incheon', 37.45, 126.62, Sea],
    ['KRKAN', 'Gwangyang', 34.93, 127.7, Sea],
    ['KRICN', 'Seoul Incheon', 37.45, 126.45, Air],
  ],
  'Asia/Tokyo': [
    ['JPTYO', 'Tokyo', 35.68, 139.75, Sea],
    ['JPYOK', 'Yokohama', 35.45, 139.65, Sea],
    ['JPNGO', 'Nagoya', 35.18, 136.91, Sea],
    ['JPUKB', 'Kobe', 34.68, 135.17, Sea],
    ['JPOSA', 'Osaka', 34.67, 135.5, Sea],
    ['JPHKT', 'Hakata/Fukuoka', 33.6, 130.42, Sea],
    ['JPNRT', 'Tokyo Narita', 35.77, 140.39, Air],
    ['JPKIX', 'Osaka Kansai', 34.44, 135.24, Air],
  ],
  'Asia/Ho_Chi_Minh': [
    ['VNSGN', 'Ho Chi Minh City', 10.77, 106.72, Sea],
    ['VNHPH', 'Haiphong', 20.84, 106.69, Sea],
    ['VNTOT', 'Cai Mep', 10.53, 107.03, Sea],
    ['VNDAD', 'Da Nang', 16.07, 108.22, Sea],
    ['VNHAN', 'Hanoi', 21.21, 105.8, Air],
  ],
  'Asia/Bangkok': [
    ['THLCH', 'Laem Chabang', 13.08, 100.88, Sea],
    ['THBKK', 'Bangkok', 13.75, 100.52, Both],
  ],
  'Asia/Kuala_Lumpur': [
    ['MYPKG', 'Port Klang', 3, 101.4, Sea],
    ['MYTPP', 'Tanjung Pelepas', 1.37, 103.55, Sea],
    ['MYPEN', 'Penang', 5.42, 100.32, Sea],
    ['MYKUL', 'Kuala Lumpur', 2.76, 101.71, Air],
  ],
  'Asia/Singapore': [
    ['SGSIN', 'Singapore', 1.27, 103.83, Both],
  ],
  'Asia/Jakarta': [
    ['IDJKT', 'Jakarta', -6.13, 106.83, Sea],
    ['IDSUB', 'Surabaya', -7.23, 112.75, Sea],
    ['IDCGK', 'Jakarta Soekarno-Hatta', -6.13, 106.66, Air],
  ],
  'Asia/Manila': [
    ['PHMNL', 'Manila', 14.6, 120.98, Both],
  ],
  'Asia/Dhaka': [
    ['BDCGP', 'Chattogram', 22.33, 91.83, Sea],
    ['BDDAC', 'Dhaka', 23.85, 90.41, Air],
  ],
  'Asia/Colombo': [
    ['LKCMB', 'Colombo', 6.92, 79.85, Sea],
  ],
  'Asia/Kolkata': [
    ['INNSA', 'Nhava Sheva', 18.95, 72.95, Sea],
    ['INMUN', 'Mundra', 22.74, 69.7, Sea],
    ['INMAA', 'Chennai', 13.08, 80.28, Sea],
    ['INCOK', 'Cochin', 9.97, 76.23, Sea],
    ['INVTZ', 'Visakhapatnam', 17.7, 83.3, Sea],
    ['INBOM', 'Mumbai', 19.1, 72.87, Air],
    ['INDEL', 'Delhi', 28.56, 77.1, Air],
    ['INBLR', 'Bengaluru', 13.2, 77.71, Air],
  ],
  'Asia/Karachi': [
    ['PKKHI', 'Karachi', 24.86, 67.01, Sea],
    ['PKBQM', 'Port Qasim', 24.77, 67.33, Sea],
  ],
  'Asia/Dubai': [
    ['AEJEA', 'Jebel Ali', 25.01, 55.06, Sea],
    ['AEKLF', 'Khor al Fakkan', 25.33, 56.35, Sea],
    ['AEDXB', 'Dubai', 25.25, 55.35, Air],
    ['AEDWC', 'Dubai World Central', 24.92, 55.18, Air],
    ['AEAUH', 'Abu Dhabi', 24.43, 54.65, Air],
  ],
  'Asia/Muscat': [
    ['OMSLL', 'Salalah', 17.05, 54.11, Sea],
    ['OMSOH', 'Sohar', 24.35, 56.71, Sea],
  ],
  'Asia/Riyadh': [
    ['SAJED', 'Jeddah', 21.47, 39.17, Sea],
    ['SADMM', 'Ad Dammam', 26.5, 50.2, Sea],
    ['SARUH', 'Riyadh', 24.96, 46.7, Air],
  ],
  'Asia/Qatar': [
    ['QAHMD', 'Hamad', 25, 51.62, Sea],
    ['QADOH', 'Doha', 25.27, 51.56, Air],
  ],
  'Africa/Cairo': [
    ['EGALY', 'Alexandria', 31.18, 29.92, Sea],
    ['EGPSD', 'Port Said', 31.27, 32.3, Sea],
    ['EGDAM', 'Damietta', 31.42, 31.82, Sea],
    ['EGCAI', 'Cairo', 30.12, 31.41, Air],
  ],
  'Asia/Jerusalem': [
    ['ILHFA', 'Haifa', 32.8, 34.98, Sea],
    ['ILASH', 'Ashdod', 31.8, 34.66, Sea],
  ],
  'Europe/Istanbul': [
    ['TRAMR', 'Ambarli', 40.97, 28.7, Sea],
    ['TRMER', 'Mersin', 36.72, 34.63, Sea],
    ['TRIZM', 'Izmir', 38.42, 27.15, Sea],
    ['TRIST', 'Istanbul', 41.28, 28.75, Air],
  ],
  'Europe/Athens': [
    ['GRPIR', 'Piraeus', 37.93, 23.62, Sea],
    ['GRSKG', 'Thessaloniki', 40.63, 22.95, Sea],
    ['GRATH', 'Athens', 37.94, 23.95, Air],
  ],
  'Europe/Malta': [
    ['MTMAR', 'Marsaxlokk', 35.83, 14.53, Sea],
  ],
  'Europe/Rome': [
    ['ITGOA', 'Genoa', 44.42, 8.95, Sea],
    ['ITSPE', 'La Spezia', 44.12, 9.83, Sea],
    ['ITGIT', 'Gioia Tauro', 38.42, 15.9, Sea],
    ['ITLIV', 'Livorno', 43.55, 10.32, Sea],
    ['ITTRS', 'Trieste', 45.65, 13.78, Sea],
    ['ITMXP', 'Milan Malpensa', 45.63, 8.71, Air],
  ],
  'Europe/Madrid': [
    ['ESVLC', 'Valencia', 39.47, -0.38, Sea],
    ['ESBCN', 'Barcelona', 41.39, 2.17, Both],
    ['ESALG', 'Algeciras', 36.14, -5.46, Sea],
    ['ESBIO', 'Bilbao', 43.25, -2.97, Sea],
    ['ESMAD', 'Madrid', 40.47, -3.57, Air],
    ['ESZAZ', 'Zaragoza', 41.66, -1.01, Air],
  ],
  'Europe/Lisbon': [
    ['PTLIS', 'Lisboa', 38.72, -9.13, Sea],
    ['PTSIE', 'Sines', 37.95, -8.87, Sea],
  ],
  'Africa/Casablanca': [
    ['MAPTM', 'Tanger Med', 35.74, -5.79, Sea],
  ],
  'Europe/Paris': [
    ['FRLEH', 'Le Havre', 49.5, 0.1, Sea],
    ['FRFOS', 'Fos-sur-Mer', 43.43, 4.88, Sea],
    ['FRCDG', 'Paris Charles de Gaulle', 49, 2.57, Air],
  ],
  'Europe/Brussels': [
    ['BEANR', 'Antwerpen', 51.27, 4.35, Sea],
    ['BEZEE', 'Zeebrugge', 51.33, 3.2, Sea],
    ['BELGG', 'Liege', 50.64, 5.46, Air],
    ['BEBRU', 'Brussels', 50.9, 4.48, Air],
  ],
  'Europe/Amsterdam': [
    ['NLRTM', 'Rotterdam', 51.95, 4.14, Sea],
    ['NLAMS', 'Amsterdam', 52.31, 4.76, Air],
  ],
  'Europe/Berlin': [
    ['DEHAM', 'Hamburg', 53.54, 9.98, Both],
    ['DEBRV', 'Bremerhaven', 53.54, 8.58, Sea],
    ['DEWVN', 'Wilhelmshaven', 53.52, 8.13, Sea],
    ['DEFRA', 'Frankfurt', 50.05, 8.57, Air],
    ['DEMUC', 'Munich', 48.35, 11.79, Air],
    ['DELEJ', 'Leipzig', 51.42, 12.22, Air],
    ['DECGN', 'Cologne', 50.88, 7.12, Air],
  ],
  'Europe/London': [
    ['GBFXT', 'Felixstowe', 51.96, 1.35, Sea],
    ['GBSOU', 'Southampton', 50.91, -1.4, Sea],
    ['GBLGP', 'London Gateway Port', 51.5, 0.48, Sea],
    ['GBLHR', 'London Heathrow', 51.47, -0.45, Air],
    ['GBEMA', 'East Midlands', 52.83, -1.33, Air],
    ['GBMNC', 'Manchester', 53.36, -2.27, Air, 'MAN'],
  ],
  'Europe/Dublin': [
    ['IEDUB', 'Dublin', 53.35, -6.26, Both],
  ],
  'Europe/Copenhagen': [
    ['DKAAR', 'Aarhus', 56.15, 10.22, Sea],
    ['DKCPH', 'Copenhagen', 55.63, 12.65, Air],
  ],
  'Europe/Stockholm': [
    ['SEGOT', 'Gothenburg', 57.72, 11.97, Sea],
    ['SEARN', 'Stockholm Arlanda', 59.65, 17.93, Air],
  ],
  'Europe/Helsinki': [
    ['FIHEL', 'Helsinki', 60.17, 24.94, Sea],
  ],
  'Europe/Warsaw': [
    ['PLGDN', 'Gdansk', 54.35, 18.65, Sea],
    ['PLGDY', 'Gdynia', 54.5, 18.55, Sea],
    ['PLWAW', 'Warsaw', 52.17, 20.97, Air],
  ],
  'Europe/Ljubljana': [
    ['SIKOP', 'Koper', 45.55, 13.73, Sea],
  ],
  'Europe/Bucharest': [
    ['ROCND', 'Constanta', 44.18, 28.65, Sea],
  ],
  'America/Los_Angeles': [
    ['USLAX', 'Los Angeles', 33.74, -118.26, Sea],
    ['USLGB', 'Long Beach', 33.77, -118.18, Sea],
    ['USOAK', 'Oakland', 37.8, -122.3, Sea],
    ['USSEA', 'Seattle', 47.61, -122.33, Sea],
    ['USTIW', 'Tacoma', 47.25, -122.44, Sea],
  ],
  'America/New_York': [
    ['USNYC', 'New York', 40.68, -74.05, Sea],
    ['USBAL', 'Baltimore', 39.28, -76.62, Sea],
    ['USORF', 'Norfolk', 36.85, -76.29, Sea],
    ['USCHS', 'Charleston', 32.78, -79.93, Sea],
    ['USSAV', 'Savannah', 32.13, -81.14, Sea],
    ['USJAX', 'Jacksonville', 30.33, -81.66, Sea],
    ['USMIA', 'Miami', 25.76, -80.19, Sea],
    ['USJFK', 'New York JFK', 40.64, -73.79, Air],
    ['USATL', 'Atlanta', 33.64, -84.44, Air],
    ['USCVG', 'Cincinnati', 39.06, -84.66, Air],
  ],
  'America/Chicago': [
    ['USHOU', 'Houston', 29.73, -95.27, Sea],
    ['USMSY', 'New Orleans', 29.95, -90.07, Sea],
    ['USMOB', 'Mobile', 30.7, -88.04, Sea],
    ['USORD', "Chicago O'Hare", 41.98, -87.9, Air],
    ['USDFW', 'Dallas/Fort Worth', 32.9, -97.04, Air],
    ['USMEM', 'Memphis', 35.04, -89.98, Air],
  ],
  'America/Vancouver': [
    ['CAVAN', 'Vancouver', 49.28, -123.12, Sea],
    ['CAPRR', 'Prince Rupert', 54.32, -130.32, Sea],
  ],
  'America/Toronto': [
    ['CAMTR', 'Montreal', 45.5, -73.57, Sea],
    ['CAYYZ', 'Toronto', 43.68, -79.61, Air],
  ],
  'America/Halifax': [
    ['CAHAL', 'Halifax', 44.65, -63.58, Sea],
  ],
  'America/Mexico_City': [
    ['MXZLO', 'Manzanillo', 19.05, -104.3, Sea],
    ['MXVER', 'Veracruz', 19.2, -96.13, Sea],
    ['MXLZC', 'Lazaro Cardenas', 17.95, -102.18, Sea],
    ['MXMEX', 'Mexico City', 19.44, -99.07, Air],
  ],
  'America/Panama': [
    ['PAMIT', 'Manzanillo PA', 9.37, -79.88, Sea],
    ['PABLB', 'Balboa', 8.96, -79.57, Sea],
  ],
  'America/Bogota': [
    ['COCTG', 'Cartagena', 10.39, -75.48, Sea],
    ['COBUN', 'Buenaventura', 3.88, -77.02, Sea],
    ['COBOG', 'Bogota', 4.7, -74.14, Air],
  ],
  'America/Guayaquil': [
    ['ECGYE', 'Guayaquil', -2.17, -79.9, Sea],
    ['ECUIO', 'Quito', -0.12, -78.36, Air],
  ],
  'America/Lima': [
    ['PECLL', 'Callao', -12.05, -77.13, Sea],
  ],
  'America/Santiago': [
    ['CLSAI', 'San Antonio', -33.6, -71.6, Sea],
    ['CLVAP', 'Valparaiso', -33.03, -71.63, Sea],
    ['CLSCL', 'Santiago', -33.4, -70.79, Air],
  ],
  'America/Sao_Paulo': [
    ['BRSSZ', 'Santos', -23.93, -46.32, Sea],
    ['BRPNG', 'Paranagua', -25.5, -48.52, Sea],
    ['BRNVT', 'Navegantes', -26.88, -48.63, Sea],
    ['BRGRU', 'Sao Paulo Guarulhos', -23.43, -46.48, Air],
    ['BRVCP', 'Campinas', -23.01, -47.14, Air],
  ],
  'America/Argentina/Buenos_Aires': [
    ['ARBUE', 'Buenos Aires', -34.58, -58.37, Sea],
    ['AREZE', 'Buenos Aires Ezeiza', -34.81, -58.54, Air],
  ],
  'America/Montevideo': [
    ['UYMVD', 'Montevideo', -34.9, -56.16, Sea],
  ],
  'America/Santo_Domingo': [
    ['DOCAU', 'Caucedo', 18.42, -69.63, Sea],
  ],
  'America/Jamaica': [
    ['JMKIN', 'Kingston', 18.04, -76.8, Sea],
  ],
  'Africa/Johannesburg': [
    ['ZADUR', 'Durban', -29.85, 31.02, Sea],
    ['ZACPT', 'Cape Town', -33.92, 18.42, Sea],
    ['ZAJNB', 'Johannesburg', -26.13, 28.23, Air],
  ],
  'Africa/Nairobi': [
    ['KEMBA', 'Mombasa', -4.04, 39.67, Sea],
    ['KENBO', 'Nairobi', -1.32, 36.93, Air],
  ],
  'Africa/Dar_es_Salaam': [
    ['TZDAR', 'Dar es Salaam', -6.8, 39.28, Sea],
  ],
  'Africa/Lagos': [
    ['NGAPP', 'Apapa', 6.46, 3.36, Sea],
  ],
  'Africa/Accra': [
    ['GHTEM', 'Tema', 5.71, 0.02, Sea],
  ],
  'Africa/Abidjan': [
    ['CIABJ', 'Abidjan', 5.33, -4.02, Sea],
  ],
  'Africa/Dakar': [
    ['SNDKR', 'Dakar', 14.76, -17.37, Sea],
  ],
  'Africa/Lome': [
    ['TGLFW', 'Lome', 6.17, 1.23, Sea],
  ],
  'Africa/Djibouti': [
    ['DJJIB', 'Djibouti', 11.57, 43.15, Sea],
  ],
  'Indian/Mauritius': [
    ['MUPLU', 'Port Louis', -20.17, 57.5, Sea],
  ],
  'Australia/Sydney': [
    ['AUSYD', 'Sydney', -33.85, 151.2, Sea],
  ],
  'Australia/Melbourne': [
    ['AUMEL', 'Melbourne', -37.82, 144.97, Sea],
  ],
  'Australia/Brisbane': [
    ['AUBNE', 'Brisbane', -27.47, 153.02, Sea],
  ],
  'Australia/Perth': [
    ['AUFRE', 'Fremantle', -32.06, 115.75, Sea],
  ],
  'Pacific/Auckland': [
    ['NZAKL', 'Auckland', -36.83, 174.8, Sea],
    ['NZTRG', 'Tauranga', -37.68, 176.17, Sea],
    ['NZLYT', 'Lyttelton', -43.6, 172.72, Sea],
  ],
  'Europe/Luxembourg': [
    ['LULUX', 'Luxembourg', 49.63, 6.21, Air],
  ],
  'Europe/Vienna': [
    ['ATVIE', 'Vienna', 48.12, 16.56, Air],
  ],
  'Europe/Zurich': [
    ['CHZRH', 'Zurich', 47.45, 8.56, Air],
  ],
  'Europe/Oslo': [
    ['NOOSL', 'Oslo', 60.19, 11.1, Air],
  ],
  'Europe/Budapest': [
    ['HUBUD', 'Budapest', 47.43, 19.26, Air],
  ],
  'Africa/Addis_Ababa': [
    ['ETADD', 'Addis Ababa', 8.98, 38.8, Air],
  ],
  'America/Anchorage': [
    ['USANC', 'Anchorage', 61.17, -150, Air],
  ],
}

/** The curated ports: enough to work with before UN/LOCODE is imported. */
export const ports: readonly PortRow[] = Object.entries(portsByTimeZone).flatMap(([timeZone, tuples]) =>
  tuples.map((tuple) => portRow(timeZone, tuple)),
)

/** The id which the port with this UN/LOCODE has in every database. */
export function portId(unLocode: string): string {
  return namedGuid(`Port:${unLocode}`)
}

function portRow(
  timeZone: string,
  [unLocode, name, latitude, longitude, functions, iata]: PortTuple,
): PortRow {
  const countryCode = unLocode.slice(0, 2)
  const isAirport = functions.includes('4')
  return {
    id: portId(unLocode),
    unLocode,
    name,
    nameWoDiacritics: name,
    countryId: countryId(countryCode),
    countryCode,
    iataCode: iata ?? (isAirport ? unLocode.slice(2) : null),
    functionCodes: functions,
    isSeaport: functions.includes('1'),
    isRailTerminal: false,
    isRoadTerminal: false,
    isAirport,
    isInlandDepot: false,
    latitude,
    longitude,
    coordinateSource: Curated,
    timeZone,
    isOverridden: overridden.has(unLocode),
  }
}
