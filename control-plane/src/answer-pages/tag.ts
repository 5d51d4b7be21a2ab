import type { InternetAnswer, WeatherVerdict } from '@probe-mesh/contracts/answers'
import { markup } from './markup.ts'
import type { Markup } from './markup.ts'

/** What a word of an answer is on a page: colour helps, the text says it. */
type Wording = { tone: 'good' | 'bad' | 'uncertain' | 'silent'; text: string }

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

export const tag = ({ tone, text }: Wording): Markup =>
  markup`<strong class="tag ${tone}">${text}</strong>`

/** The first paragraph of a page: the verdict, and the sentence that says it. */
export const lead = (wording: Wording, summary: string): Markup =>
  markup`<p>${tag(wording)}</p>
<p class="lead">${summary}</p>`
