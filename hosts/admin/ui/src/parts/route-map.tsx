import './route-map.css'
import { geoGraticule10, geoInterpolate, geoMercator, geoPath } from 'd3-geo'
import { feature } from 'topojson-client'
import world from 'world-atlas/land-110m.json'
import { useApplication } from '../application.js'
import type { Shipment } from './shipment-actions.js'

const [width, height, margin] = [720, 300, 44]
/** Pixels of a world at the greatest enlargement: the outlines are made for small maps. */
const mostScale = 900

// biome-ignore lint/suspicious/noExplicitAny: the types of JSON modules do not say which objects a topology has
const land = feature(world as any, (world as any).objects.land)
const graticule = geoGraticule10()

type Place = NonNullable<Shipment['originPort']>

/** A stretch of the way. */
interface Stretch {
  readonly from: Place
  readonly to: Place
  readonly isTravelled: boolean
}

/**
 * The way of a shipment on a map, what lies behind it drawn solid. Lines are the shortest ways on the globe, not the courses of ships. Nothing unless two of
 * its ports are known by their coordinates.
 */
export function RouteMap({ shipment }: { readonly shipment: Shipment }) {
  const { t } = useApplication()
  const places = placesOf(shipment)
  const [first, last] = [places[0], places.at(-1)]
  if (!first || !last || places.length < 2) return null
  const [middle] = geoInterpolate(pointOf(first), pointOf(last))(0.5)
  const stretches = stretchesOf(shipment)
  const lines = stretches.map(lineOf)
  const projection = geoMercator().rotate([-middle, 0])
  projection.fitExtent(
    [
      [margin, margin],
      [width - margin, height - margin],
    ],
    { type: 'GeometryCollection', geometries: lines },
  )
  if (projection.scale() > mostScale) {
    const center = geoPath(projection).centroid({ type: 'GeometryCollection', geometries: lines })
    const middlePoint = projection.invert?.(center) ?? [0, 0]
    projection.scale(mostScale).translate([0, 0])
    const [x, y] = projection(middlePoint) ?? [0, 0]
    projection.translate([width / 2 - x, height / 2 - y])
  }
  projection.clipExtent([
    [0, 0],
    [width, height],
  ])
  const path = geoPath(projection)
  return (
    <svg
      className="keel-map"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${t('Ops:Routing')}: ${places.map(({ name }) => name).join(' → ')}`}
    >
      <path className="keel-map-grid" d={path(graticule) ?? undefined} />
      <path className="keel-map-land" d={path(land) ?? undefined} />
      {stretches.map((stretch) => (
        <path
          key={stretch.to.id}
          className="keel-map-way"
          strokeDasharray={stretch.isTravelled ? undefined : '5 5'}
          d={path(lineOf(stretch)) ?? undefined}
        />
      ))}
      {places.map((place, at) => {
        const [x, y] = projection(pointOf(place)) ?? [0, 0]
        const isRight = x > width * 0.7
        return (
          <g key={place.id}>
            <circle className="keel-map-port" cx={x} cy={y} r={4.5} />
            <text
              x={isRight ? x - 9 : x + 9}
              y={y + (at % 2 ? -8 : 15)}
              textAnchor={isRight ? 'end' : 'start'}
            >
              {place.name}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

/** The ports of the way in their order, those with coordinates, each once. */
function placesOf(shipment: Shipment): Place[] {
  const all = [
    shipment.originPort,
    shipment.firstConsolLegDeparturePort,
    shipment.lastConsolLegArrivalPort,
    shipment.destinationPort,
  ].filter((place): place is Place => place?.latitude != null && place.longitude != null)
  return all.filter(({ id }, at) => all.findIndex((other) => other.id === id) === at)
}

function stretchesOf(shipment: Shipment): Stretch[] {
  const places = placesOf(shipment)
  const { actualPickup, actualDeparture, actualArrival, actualDelivery } = shipment
  const isBehind = ({ id }: Place) =>
    id === shipment.destinationPort?.id && id !== shipment.lastConsolLegArrivalPort?.id
      ? actualDelivery != null
      : id === shipment.lastConsolLegArrivalPort?.id
        ? actualArrival != null || actualDelivery != null
        : actualPickup != null || actualDeparture != null
  return places.slice(1).map((to, at) => ({ from: places[at] as Place, to, isTravelled: isBehind(to) }))
}

const pointOf = ({ longitude, latitude }: Place): [number, number] => [longitude ?? 0, latitude ?? 0]

const lineOf = ({ from, to }: Stretch): { type: 'LineString'; coordinates: [number, number][] } => ({
  type: 'LineString',
  coordinates: [pointOf(from), pointOf(to)],
})
