import { geoEqualEarth, geoPath, type GeoPermissibleObjects } from 'd3-geo'

export type Place = { lon: number; lat: number }

/**
 * The part of the earth that is drawn: where people live, and some margin. The cut is in the Pacific, at 169°
 * west.
 */
const frame = { north: 79, south: -56, turnedBy: -11 } as const

const width = 1000
const turned = geoEqualEarth().rotate([frame.turnedBy, 0]).fitWidth(width, { type: 'Sphere' })
const edge = (lat: number): number => turned([-frame.turnedBy, lat])?.[1] ?? 0
const top = edge(frame.north)

/** In units of the drawing. */
export const mapSize = { width, height: Math.round(edge(frame.south) - top) } as const

const [shiftX, shiftY] = turned.translate()

/** Equal Earth: areas keep their relative size, and continents have familiar shapes. */
const projection = turned.translate([shiftX, shiftY - top]).clipExtent([
  [0, 0],
  [mapSize.width, mapSize.height],
])

/** The position of a place, in units of the drawing. */
export const projected = ({ lon, lat }: Place): { x: number; y: number } => {
  const [x, y] = projection([lon, lat]) ?? [0, 0]
  return { x, y }
}

/** A shape on the earth as a path of the drawing. */
export const outlineOf = (shape: GeoPermissibleObjects): string => geoPath(projection)(shape) ?? ''
