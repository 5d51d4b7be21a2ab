import type { RegionWeather } from '@probe-mesh/contracts/outage/internet'
import { regionLabel } from '../../html/components/region-marks.ts'
import { tag } from '../../html/components/tag.ts'
import { placeOf } from '../../html/components/region-places.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { milliseconds } from '../../html/measures.ts'
import { ratioText, regionWords } from './weather-words.ts'

/** Each region as a card: its verdict, its median, and a comparison with the usual one. */
export const regionWeatherList = (regions: readonly RegionWeather[]): Html =>
  regions.length === 0
    ? html`<p class="muted">No region measures now.</p>`
    : html`<ul class="region-cards">
        ${regions.map(regionWeatherCard)}
      </ul>`

const regionWeatherCard = (one: RegionWeather): Html => {
  const { region, p50Ms, baseline } = one
  return html`<li>
    <p class="region-head">
      ${regionLabel(region)} <span class="muted">${placeOf(region)?.name.split(',')[0] ?? null}</span>
      ${tag(regionWords(one))}
    </p>
    <p class="figure">${milliseconds(p50Ms)} <span class="note">median</span></p>
    ${ratioBar(one)}
    <p class="note">
      ${ratioWords(one)}${baseline !== null && html` · usual median ${milliseconds(baseline.p50Ms)}`}
    </p>
  </li>`
}

/** `1.02x of usual`: services are compared with themselves, unlike the overall median. */
const ratioWords = (one: RegionWeather): string =>
  one.ratio === null ? 'usual is not known' : `${ratioText(one)} of usual`

/** The maximum of the bar: 1 is usual, and larger values have the same length. */
const ratioMax = 3
const width = 120

/** A bar with the length of the ratio, with a line at the usual value. */
const ratioBar = (one: RegionWeather): Html => {
  const { ratio } = one
  const share = (value: number): number => Math.round((Math.min(ratioMax, value) / ratioMax) * width)
  return html`<svg
    class="ratio"
    role="img"
    aria-label="Response time: ${ratioWords(one)}"
    viewBox="0 0 ${width} 10"
    preserveAspectRatio="none"
  >
    <rect class="ground" y="2" width="${width}" height="6" />
    ${ratio !== null && html`<rect class="${regionWords(one).tone}" y="2" width="${share(ratio)}" height="6" />`}
    <rect class="usual" x="${share(1) - 1}" width="2" height="10" />
  </svg>`
}
