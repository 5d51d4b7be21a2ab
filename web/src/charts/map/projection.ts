/** What of the earth is drawn, in degrees: where people live, and a little more. */
export const mapFrame = { north: 78, south: -57, unitsPerDegree: 2 } as const

export const mapSize = {
  width: 360 * mapFrame.unitsPerDegree,
  height: (mapFrame.north - mapFrame.south) * mapFrame.unitsPerDegree,
} as const

export type Place = { lon: number; lat: number }

/** Equirectangular: a degree is as long everywhere, in units of the drawing. */
export const projected = ({ lon, lat }: Place): { x: number; y: number } => ({
  x: Math.round((lon + 180) * mapFrame.unitsPerDegree),
  y: Math.round((mapFrame.north - lat) * mapFrame.unitsPerDegree),
})
