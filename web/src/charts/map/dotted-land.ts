import { land, seas } from './land.ts'
import { mapFrame, projected } from './projection.ts'

/** Between two dots, in degrees: a dash of no length and this gap draw them (`answers.css`). */
const stepDegrees = 3

/** Even-odd: how often a line from here to the west crosses the outline. */
const isWithin = (outline: readonly number[], lon: number, lat: number): boolean => {
  let within = false
  const count = outline.length / 2
  for (let index = 0; index < count; index++) {
    const next = (index + 1) % count
    const [x1 = 0, y1 = 0] = outline.slice(index * 2)
    const [x2 = 0, y2 = 0] = outline.slice(next * 2)
    if (y1 > lat !== y2 > lat && lon < x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1)) within = !within
  }
  return within
}

export const isLand = (lon: number, lat: number): boolean =>
  land.some((outline) => isWithin(outline, lon, lat)) && !seas.some((outline) => isWithin(outline, lon, lat))

/** One path: a stretch of land on each line of latitude is one dashed line. */
const drawLand = (): string => {
  const parts: string[] = []
  const half = stepDegrees / 2
  for (let lat = mapFrame.north - half; lat > mapFrame.south; lat -= stepDegrees) {
    let first: number | null = null
    for (let lon = -180 + half; lon <= 180 + stepDegrees; lon += stepDegrees) {
      const here = lon < 180 && isLand(lon, lat)
      if (here) first ??= lon
      if (here || first === null) continue
      const from = projected({ lon: first, lat })
      const to = projected({ lon: lon - stepDegrees, lat })
      // a little more than the way to the last dot, or a browser may leave that out
      parts.push(`M${from.x} ${from.y}h${to.x - from.x + 1}`)
      first = null
    }
  }
  return parts.join('')
}

/** The continents in dots: the same in every map, so it is made once. */
export const dottedLand = drawLand()
