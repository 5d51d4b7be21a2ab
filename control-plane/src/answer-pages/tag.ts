import type { InternetAnswer, PlateLevel, ServiceStatus } from '@probe-mesh/contracts/answers'
import type { ReportVolume, WeatherVerdict } from '@probe-mesh/contracts/answers'
import type { RegionStatusName } from '@probe-mesh/contracts/check'
import { markup } from './markup.ts'
import type { Markup } from './markup.ts'

/** What a word of an answer is on a page: colour helps, the text says it. */
type Wording = { tone: 'good' | 'bad' | 'uncertain' | 'silent'; text: string }

export const statusWords: Readonly<Record<ServiceStatus | PlateLevel | RegionStatusName, Wording>> =
  {
    up: { tone: 'good', text: 'up' },
    down: { tone: 'bad', text: 'down' },
    down_in_some_regions: { tone: 'bad', text: 'down in some regions' },
    degraded: { tone: 'uncertain', text: 'degraded' },
    // a refused probe has seen neither: "blocked is never down" (specification, Honesty rules)
    blocked: { tone: 'uncertain', text: 'blocked' },
    stale: { tone: 'silent', text: 'no recent data' },
    unknown: { tone: 'silent', text: 'no data' },
    no_data: { tone: 'silent', text: 'no data' },
    not_covered: { tone: 'silent', text: 'not covered' },
  }

export const weatherWords: Readonly<Record<WeatherVerdict, Wording>> = {
  normal: { tone: 'good', text: 'normal' },
  slower: { tone: 'bad', text: 'slower' },
  no_data: { tone: 'silent', text: 'no data' },
}

export const internetWords: Readonly<Record<InternetAnswer['status'], Wording>> = {
  none: { tone: 'good', text: 'no shared incident' },
  incident: { tone: 'bad', text: 'shared incident' },
  no_data: { tone: 'silent', text: 'no data' },
}

export const reportWords: Readonly<Record<ReportVolume['verdict'], Wording>> = {
  normal: { tone: 'silent', text: 'normal' },
  unusual: { tone: 'uncertain', text: 'unusual' },
  no_data: { tone: 'silent', text: 'no data' },
}

export const tag = ({ tone, text }: Wording): Markup =>
  markup`<strong class="tag ${tone}">${text}</strong>`

/** The first paragraph of a page: the verdict, and the sentence that says it. */
export const lead = (wording: Wording, summary: string): Markup =>
  markup`<p>${tag(wording)}</p>
<p class="lead">${summary}</p>`
