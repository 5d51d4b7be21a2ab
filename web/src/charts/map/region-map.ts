import type { Region } from '@probe-mesh/contracts/reading/regions'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import type { Wording } from '../../html/components/tag.ts'
import { placeOf } from '../../html/components/region-places.ts'
import { labelWidth, placeLabels, type Label, type Room } from './place-labels.ts'
import { mapSize, projected } from './projection.ts'

export type MapRegion = { region: Region; tone: Wording['tone']; text: string }

/** Shapes as well as colours: a disc, a square, a triangle, and an empty square. */
const marks: Readonly<Record<Wording['tone'], string>> = {
  good: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z',
  bad: 'M-6 -6H6V6H-6z',
  uncertain: 'M0 -7L7 6H-7z',
  silent: 'M-5 -5H5V5H-5z',
}

/** The large map has a place and a text at each mark, the small one only a code (style/public.css). */
const rooms = {
  wide: { width: 620, height: (620 * mapSize.height) / mapSize.width, labelHeight: 32 },
  narrow: { width: 280, height: (280 * mapSize.height) / mapSize.width, labelHeight: 14 },
} as const satisfies Record<string, Room>
type RoomName = keyof typeof rooms

type Placed = MapRegion & { place: string; x: number; y: number }

/**
 * A map of regions, each with its state as a shape and in words; the page repeats them as text. A region
 * without a known place is left out. The drawing fills its container, and its text keeps its size.
 */
export const regionMap = (title: string, regions: readonly MapRegion[]): Html => {
  const placed = regions.flatMap((region): Placed[] => {
    const place = placeOf(region.region)
    return place === null ? [] : [{ ...region, place: cityOf(place.name), ...projected(place) }]
  })
  const labels = { wide: labelsOf('wide', placed), narrow: labelsOf('narrow', placed) }
  const description = placed.map(({ region, text }) => `${region}: ${text}`).join('; ')
  return html`<svg class="map" role="img" aria-labelledby="map-title map-description">
    <title id="map-title">${title}</title>
    <desc id="map-description">${description}</desc>
    <use class="land" href="/land#land" width="100%" height="100%" />
    ${placed.map((region, index) => drawRegion(region, { wide: labels.wide[index], narrow: labels.narrow[index] }))}
  </svg>`
}

/** `Ashburn` of `Ashburn, Virginia` */
const cityOf = (name: string): string => name.split(',')[0] ?? name

/** Offsets of labels from their marks. */
const labelsOf = (name: RoomName, placed: readonly Placed[]): Label[] => {
  const room: Room = rooms[name]
  const scale = room.width / mapSize.width
  const points = placed.map(({ region, place, text, x, y }) => ({
    x: x * scale,
    y: y * scale,
    width: name === 'narrow' ? labelWidth(region) : Math.max(labelWidth(place), labelWidth(text)),
  }))
  return placeLabels(points, room).map((label, index) => {
    const { x = 0, y = 0 } = points[index] ?? {}
    return { ...label, x: Math.round(label.x - x), y: Math.round(label.y - y) }
  })
}

const share = (of: number, all: number): string => `${((of / all) * 100).toFixed(2)}%`

const drawRegion = (
  { region, place, tone, text, x, y }: Placed,
  labels: Record<RoomName, Label | undefined>,
): Html =>
  html`<svg x="${share(x, mapSize.width)}" y="${share(y, mapSize.height)}">
    ${labels.wide?.isApart === true && leadLine('wide', labels.wide)}
    ${labels.narrow?.isApart === true && leadLine('narrow', labels.narrow)}
    <path class="mark ${tone}" d="${marks[tone]}" />
    ${labels.wide !== undefined && labelText('wide', labels.wide, [place, text])}
    ${labels.narrow !== undefined && labelText('narrow', labels.narrow, [region])}
  </svg>`

const leadLine = (name: RoomName, { x, y, width }: Label): Html => {
  const toX = Math.min(Math.max(0, x), x + width)
  return html`<line
    class="lead-line ${name}"
    x1="0"
    y1="0"
    x2="${toX}"
    y2="${y + rooms[name].labelHeight / 2}"
  />`
}

const lineHeight = 15

const labelText = (name: RoomName, label: Label, lines: readonly string[]): Html => {
  const x = label.isLeftOfMark ? label.x + label.width : label.x
  return html`<text
    class="label ${name}"
    y="${label.y + (name === 'narrow' ? 11 : 13)}"
    ${attribute('text-anchor', label.isLeftOfMark ? 'end' : null)}
  >
    ${lines.map(
      (line, index) =>
        html`<tspan class="${index === 0 ? 'name' : 'value'}" x="${x}" dy="${index * lineHeight}"
          >${line}</tspan
        >`,
    )}
  </text>`
}

/** The legend of the shapes. */
export const mapKey = (entries: readonly Omit<MapRegion, 'region'>[]): Html =>
  html`<ul class="key" aria-label="Shapes on the map">
    ${entries.map(
      ({ tone, text }) =>
        html`<li>
          <svg class="map-key" viewBox="-9 -9 18 18" aria-hidden="true">
            <path class="mark ${tone}" d="${marks[tone]}" /></svg
          >${text}
        </li> `,
    )}
  </ul>`
