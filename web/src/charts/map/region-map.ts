import type { Region } from '@probe-mesh/contracts/reading/regions'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import type { Wording } from '../../html/components/tag.ts'
import { dottedLand } from './dotted-land.ts'
import { labelHeight, labelWidth, placeLabels } from './place-labels.ts'
import type { Label } from './place-labels.ts'
import { mapSize, projected } from './projection.ts'
import { placeOf } from '../../html/region-places.ts'

/** What a map says of a region. */
export type MapRegion = {
  region: Region
  tone: Exclude<Wording['tone'], 'uncertain'>
  text: string
}

/** By shape as well as by colour: a disc, a triangle, and a square that is empty. */
const marks: Readonly<Record<MapRegion['tone'], string>> = {
  good: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z',
  bad: 'M0 -8L8 6H-8z',
  silent: 'M-5 -5H5V5H-5z',
}

/**
 * The regions where they are, each with its state in its shape and in words; whatever it says, the
 * table beside it says too. A region of which nobody said where it is is left out.
 */
export const regionMap = (title: string, regions: readonly MapRegion[]): Html => {
  const placed = regions.flatMap((region) => {
    const place = placeOf(region.region)
    return place === null ? [] : [{ ...region, ...projected(place), width: labelWidth(region.text) }]
  })
  const labels = placeLabels(placed)
  const description = placed.map(({ region, text }) => `${region}: ${text}`).join('; ')
  return html`<div class="scroll" role="group" aria-label="${title}" tabindex="0">
    <svg
      class="map"
      role="img"
      aria-labelledby="map-title map-description"
      viewBox="0 0 ${mapSize.width} ${mapSize.height}"
    >
      <title id="map-title">${title}</title>
      <desc id="map-description">${description}</desc>
      <path class="land" d="${dottedLand}" />
      ${labels.map((label, index) => label.isApart && leadLine(label, placed[index] ?? { x: 0, y: 0 }))}
      ${placed.map(
        ({ tone, x, y }) =>
          html`<path class="mark ${tone}" transform="translate(${x} ${y})" d="${marks[tone]}" />`,
      )}
      ${placed.map(({ region, text }, index) => labelText(labels[index], region, text))}
    </svg>
  </div>`
}

/** What a shape means, in words. */
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

const leadLine = ({ x, y, width }: Label, from: { x: number; y: number }): Html => {
  const toX = Math.min(Math.max(from.x, x), x + width)
  const toY = y + labelHeight / 2
  return html`<line class="lead-line" x1="${from.x}" y1="${from.y}" x2="${toX}" y2="${toY}" />`
}

const labelText = (label: Label | undefined, region: string, text: string): Html | false => {
  if (label === undefined) return false
  const x = label.isLeftOfMark ? label.x + label.width : label.x
  return html`<text
    class="label"
    x="${x}"
    y="${label.y + 12}"
    ${attribute('text-anchor', label.isLeftOfMark ? 'end' : null)}
  >
    <tspan class="name">${region}</tspan><tspan x="${x}" dy="14">${text}</tspan>
  </text>`
}
