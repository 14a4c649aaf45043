import { namedGuid } from '@keel/framework/data'
import { UnitQuantity } from '../../contracts/units-of-measure.js'

/**
 * Common units of UN/CEFACT recommendation 20: code, factor to the base unit, offset where there is one, sign or a hyphen, name. The factors are those of
 * the definitions (international yard and pound, gallon of 231 in³, imperial gallon of 4.54609 l), which the recommendation rounds.
 */
const rows: Readonly<Record<keyof typeof UnitQuantity, string>> = {
  Mass:
    'KGM 1 kg kilogram;MC 0.000000001 µg microgram;MGM 0.000001 mg milligram;CGM 0.00001 cg centigram;GRM 0.001 g gram;HGM 0.1 hg hectogram;' +
    'DTN 100 dt decitonne;TNE 1000 t tonne;KTN 1000000 kt kilotonne;CTM 0.0002 ct metric carat;GRN 0.00006479891 gr grain;' +
    'ONZ 0.028349523125 oz ounce;APZ 0.0311034768 oz_t troy ounce;LBR 0.45359237 lb pound;STI 6.35029318 st stone;' +
    'CWA 45.359237 cwt_(US) hundredweight (US);CWI 50.80234544 cwt_(UK) hundredweight (UK);' +
    'STN 907.18474 tn short ton (US);LTN 1016.0469088 lt long ton (UK)',
  Volume:
    'MTQ 1 m³ cubic metre;MMQ 0.000000001 mm³ cubic millimetre;CMQ 0.000001 cm³ cubic centimetre;DMQ 0.001 dm³ cubic decimetre;' +
    'MLT 0.000001 ml millilitre;CLT 0.00001 cl centilitre;DLT 0.0001 dl decilitre;LTR 0.001 l litre;HLT 0.1 hl hectolitre;' +
    'INQ 0.000016387064 in³ cubic inch;FTQ 0.028316846592 ft³ cubic foot;YDQ 0.764554857984 yd³ cubic yard;' +
    'OZA 0.0000295735295625 fl_oz_(US) fluid ounce (US);PTL 0.000473176473 pt_(US) liquid pint (US);QTL 0.000946352946 qt_(US) liquid quart (US);' +
    'GLL 0.003785411784 gal_(US) gallon (US);BLL 0.158987294928 bbl barrel (US);OZI 0.0000284130625 fl_oz_(UK) fluid ounce (UK);' +
    'PTI 0.00056826125 pt_(UK) pint (UK);QTI 0.0011365225 qt_(UK) quart (UK);GLI 0.00454609 gal_(UK) gallon (UK)',
  Length:
    'MTR 1 m metre;4H 0.000001 µm micrometre;MMT 0.001 mm millimetre;CMT 0.01 cm centimetre;DMT 0.1 dm decimetre;KMT 1000 km kilometre;' +
    'INH 0.0254 in inch;FOT 0.3048 ft foot;YRD 0.9144 yd yard;SMI 1609.344 mi mile;NMI 1852 nmi nautical mile;' +
    'LM 1 - linear metre;LF 0.3048 - linear foot',
  Count:
    'C62 1 - one;H87 1 - piece;PCE 1 - piece (former code);EA 1 - each;NAR 1 - number of articles;NMP 1 - number of packs;SET 1 - set;KT 1 - kit;' +
    'PR 2 - pair;TPR 20 - ten pairs;DPR 24 - dozen pairs;DZN 12 - dozen;DPC 12 - dozen pieces;SCO 20 - score;CEN 100 - hundred;GRO 144 - gross;' +
    'MIL 1000 - thousand;T3 1000 - thousand pieces;GGR 1728 - great gross;' +
    // Packages of recommendation 21, behind an X: each counts as one.
    'XPK 1 - package;XBX 1 - box;XCT 1 - carton;XCS 1 - case;XCR 1 - crate;XPX 1 - pallet;XBG 1 - bag;XSA 1 - sack;XBE 1 - bundle;XBL 1 - bale;' +
    'XRO 1 - roll;XDR 1 - drum;XBA 1 - barrel;XJY 1 - jerrican;XPA 1 - packet;XPP 1 - piece as package;XCN 1 - container',
  Temperature:
    'CEL 1 °C degree Celsius;KEL 1+-273.15 K kelvin;FAH 0.5555555555555556+-17.7777777777777778 °F degree Fahrenheit',
  Area:
    'MTK 1 m² square metre;MMK 0.000001 mm² square millimetre;CMK 0.0001 cm² square centimetre;DMK 0.01 dm² square decimetre;' +
    'KMK 1000000 km² square kilometre;ARE 100 a are;HAR 10000 ha hectare;INK 0.00064516 in² square inch;FTK 0.09290304 ft² square foot;' +
    'YDK 0.83612736 yd² square yard',
}

/** Rows of HubUnitsOfMeasure. */
export const unitsOfMeasure = Object.entries(rows).flatMap(([quantity, text]) =>
  text.split(';').map((row) => {
    const [, code = '', factorToBase = '', offsetToBase = '0', symbol = '', name = ''] =
      /^(\w+) ([\d.]+)(?:\+(\S+))? (\S+) (.+)$/.exec(row) ?? []
    return {
      id: namedGuid(`UnitOfMeasure:${code}`),
      code,
      name,
      symbol: symbol === '-' ? null : symbol.replaceAll('_', ' '),
      quantity: UnitQuantity[quantity as keyof typeof UnitQuantity],
      factorToBase,
      offsetToBase,
    }
  }),
)
