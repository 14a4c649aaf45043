/** A place on the globe, in degrees. */
export interface Position {
  readonly latitude: number
  readonly longitude: number
}

const earthRadiusKm = 6371.0088

/** The length in km of the great circle between two places (haversine). */
export function greatCircleKm(from: Position, to: Position): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (a: number, b: number) => Math.sin(radians(b - a) / 2) ** 2
  const h =
    half(from.latitude, to.latitude) +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * half(from.longitude, to.longitude)
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(h))
}
