import type { CheckStatus, RegionStatusName } from '@probe-mesh/contracts/check/check'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** What a word of an answer is on a page: colour helps, the text says it. */
export type Wording = { tone: 'good' | 'bad' | 'uncertain' | 'silent'; text: string }

export const checkWords: Readonly<Record<CheckStatus | RegionStatusName, Wording>> = {
  operational: { tone: 'good', text: 'operational' },
  up: { tone: 'good', text: 'up' },
  degraded: { tone: 'uncertain', text: 'degraded' },
  // a refused probe has seen neither (S-103)
  blocked: { tone: 'uncertain', text: 'blocked' },
  down: { tone: 'bad', text: 'down' },
  stale: { tone: 'silent', text: 'stale' },
  unknown: { tone: 'silent', text: 'unknown' },
}

export const tag = ({ tone, text }: Wording): Html => html`<strong class="tag ${tone}">${text}</strong>`
