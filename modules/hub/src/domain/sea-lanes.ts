import { greatCircleKm, type Position } from './distance.js'

/** Way points of sea lanes: name, degrees north, degrees east (domain model, section 7.5). */
const nodeTexts =
  'ECN 30.5,123.5;KOR 34,128.5;JPN 34.5,140.5;TSG 42,150;NP 48,180;NPE 47,-140;USW 34,-121;PNW 48.4,-125;SCS 22,115;LUZ 20.5,121.5;' +
  'VTN 9,107.8;GOT 9.5,102;SGS 1.2,104.2;MAL 5.8,97;JAV -4.5,107.5;SUN -6.5,104.5;MKS -6,118;TOR -10.5,142.2;CEY 5.7,80.5;BOB 15,88;' +
  'ARB 14,65;KON 8,75.5;BOM 18.5,71.5;HOR 25.5,57;PGF 26.2,54;ADN 12.3,45.5;BAB 12.6,43.4;RED 20,38.8;SUE 29.7,32.5;PSD 31.6,32.4;' +
  'EMD 33.5,28;AEG 36.3,23.5;DAR 40,26;BLK 41.5,29.5;SIC 36.6,14.5;TUN 37.5,11;WMD 37.8,3;GIB 35.95,-5.8;SVC 36.8,-9.6;FIN 43.3,-9.8;' +
  'USH 48.7,-5.8;DOV 51,1.5;NSE 53.9,7.5;SKA 57.9,10.5;BAL 55,13.5;GDB 57.5,19.5;FAS 49.5,-9;AZN 45,-40;NFL 45.5,-52;NYC 40.4,-73.3;' +
  'CHS 32.3,-78.5;FLS 24.5,-80.5;GOM 27.5,-90;YUC 21.8,-85.8;CRB 15,-75;MON 18.4,-67.8;CTB 9.6,-79.9;BLB 8.6,-79.4;GUI 7,-82.5;' +
  'MXP 18,-105.5;BCS 22,-111;PER -6,-82;CHI -33,-72.5;RBR -5,-34.5;CFR -23.8,-42;PLT -35.5,-54.5;CVD 15,-20;WAF 4,-8.5;GGU 3,3;' +
  'CGH -35.5,19;DUR -30,32;MOZ -12,43.5;MBA -4.2,40.5;SOM 12,52;MAU -20,58;SWA -35,114.5;BAS -39.3,143;SYD -34,152.5;BNE -26.5,154;' +
  'COR -12,155;AKL -35.5,175.5;MIC 10,140;HAW 22,-158'

/** Lanes between them, in both directions. */
const edgeTexts =
  'ECN>KOR,LUZ,SCS,JPN;KOR>JPN,TSG;JPN>TSG,MIC;TSG>NP;NP>NPE;NPE>USW,PNW;USW>PNW,HAW,JPN;LUZ>SCS,MIC;SCS>VTN,SGS;VTN>SGS,GOT;GOT>SGS;' +
  'SGS>MAL,JAV;JAV>SUN,MKS;MKS>TOR,LUZ;TOR>COR;MAL>CEY,BOB,SWA;CEY>BOB,KON,ARB,SOM,SWA;KON>BOM,SOM;ARB>BOM,HOR,SOM;BOM>HOR;HOR>PGF;' +
  'SOM>ADN,HOR;ADN>BAB;BAB>RED;RED>SUE;SUE>PSD;PSD>EMD,SIC;EMD>AEG,SIC;AEG>DAR,SIC;DAR>BLK;SIC>TUN;TUN>WMD;WMD>GIB;GIB>SVC,NYC;' +
  'SVC>FIN,NYC;FIN>USH,FAS;USH>DOV,FAS;DOV>NSE,SKA;NSE>SKA;SKA>BAL;BAL>GDB;FAS>AZN;AZN>NFL;NFL>NYC;NYC>CHS,RBR;CHS>FLS;FLS>GOM,YUC;' +
  'YUC>GOM,CTB,CRB;CRB>CTB,MON,RBR;MON>NYC,CHS,AZN,SVC,FAS,RBR;CTB>BLB;BLB>GUI,PER,HAW,JPN;GUI>MXP,PER;MXP>BCS;BCS>USW;PER>CHI;' +
  'HAW>JPN,ECN;RBR>CFR,CVD;CFR>PLT,CGH;CVD>SVC,GIB,FIN,WAF,CGH;WAF>GGU;GGU>CGH;PLT>CGH;CGH>DUR,SUN;DUR>MOZ,MAU;MOZ>MBA;MBA>SOM;' +
  'MAU>CEY,SUN,SWA,SOM;SUN>SWA;SWA>BAS;BAS>SYD;SYD>BNE,AKL;BNE>COR,AKL;COR>MIC,JPN;MIC>LUZ,ECN;AKL>HAW,USW,BLB;CHI>HAW,AKL'

/** Lengths in km of canals, which are no great circles. */
const canals: Readonly<Record<string, number>> = { 'SUE-PSD': 193, 'CTB-BLB': 82 }

/** A port is joined to this many way points. */
const joins = 2

const nodes: ReadonlyMap<string, Position> = new Map(
  nodeTexts.split(';').map((text) => {
    const [name = '', position = ''] = text.trim().split(' ')
    const [latitude, longitude] = position.split(',').map(Number)
    return [name, { latitude: latitude as number, longitude: longitude as number }]
  }),
)

const lanes: ReadonlyMap<string, ReadonlyMap<string, number>> = readLanes()

function readLanes(): Map<string, Map<string, number>> {
  const found = new Map([...nodes.keys()].map((name) => [name, new Map<string, number>()]))
  for (const text of edgeTexts.split(';')) {
    const [from = '', ends = ''] = text.trim().split('>')
    for (const to of ends.split(',')) {
      const km =
        canals[`${from}-${to}`] ?? greatCircleKm(nodes.get(from) as Position, nodes.get(to) as Position)
      found.get(from)?.set(to, km)
      found.get(to)?.set(from, km)
    }
  }
  return found
}

/** The shortest way in km between two sea ports over the lanes, each port joined to its two nearest way points. */
export function seaDistanceKm(from: Position, to: Position): number {
  const ends = new Map(nearest(to))
  const known = new Map(nearest(from))
  const done = new Set<string>()
  let shortest = Number.POSITIVE_INFINITY
  for (;;) {
    let next: [name: string, km: number] | undefined
    for (const one of known) if (!done.has(one[0]) && (!next || one[1] < next[1])) next = one
    if (!next || next[1] >= shortest) return shortest
    const [name, km] = next
    done.add(name)
    shortest = Math.min(shortest, km + (ends.get(name) ?? Number.POSITIVE_INFINITY))
    for (const [neighbour, length] of lanes.get(name) ?? [])
      known.set(neighbour, Math.min(known.get(neighbour) ?? Number.POSITIVE_INFINITY, km + length))
  }
}

function nearest(port: Position): [name: string, km: number][] {
  const all = [...nodes].map(([name, node]): [string, number] => [name, greatCircleKm(port, node)])
  return all.sort(([, a], [, b]) => a - b).slice(0, joins)
}
