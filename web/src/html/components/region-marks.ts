import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import { regionName } from './region-name.ts'
import { placeOf } from './region-places.ts'
import type { Wording } from './tag.ts'

/**
 * Each has a colour, a dash and a symbol (style/charts.css); the first four belong to the default regions.
 */
const slots = { iad: 0, sjc: 1, fra: 2, nrt: 3 } as const
const otherSlots = [4, 5, 6, 7] as const
const privateSlot = 8

/** The class of a region in all charts, marks and maps: stable for a code. */
export const regionClass = (region: string): string => {
  if (isPrivateRegion(region)) return `r${privateSlot}`
  const own: number | undefined = slots[region as keyof typeof slots]
  const sum = Array.from(region).reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return `r${own ?? otherSlots[sum % otherSlots.length] ?? privateSlot}`
}

/** One mark per region with its state as a shape. The text lists all, for screen readers and as a tooltip. */
export const regionMarks = (regions: readonly { region: string; wording: Wording }[]): Html | null => {
  if (regions.length === 0) return null
  const text = regions
    .map(({ region, wording }) => `${regionName(region)} ${wording.text.toLowerCase()}`)
    .join(', ')
  return html`<span class="region-marks" role="img" aria-label="${text}" title="${text}">
    ${regions.map(({ wording }) => html`<i class="${wording.tone}"></i>`)}
  </span>`
}

/** The code of a region with its symbol and its place, such as `▲ fra Frankfurt`. */
export const regionLabel = (region: string): Html =>
  html`<span class="region ${regionClass(region)}" ${attribute('title', placeOf(region)?.name ?? null)}
    ><i></i>${regionName(region)}</span
  >`
