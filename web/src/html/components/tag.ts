import type { CheckStatus, RegionStatusName } from '@probe-mesh/contracts/check/check'
import { html, type Html } from '@probe-mesh/runtime/html'

/** A status word on a page: colour helps, the text says it. */
export type Wording = { tone: 'good' | 'bad' | 'uncertain' | 'silent'; text: string }

export const checkWords: Readonly<Record<CheckStatus | RegionStatusName, Wording>> = {
  operational: { tone: 'good', text: 'Operational' },
  up: { tone: 'good', text: 'Up' },
  degraded: { tone: 'uncertain', text: 'Degraded' },
  // a refused probe shows neither up nor down (S-103)
  blocked: { tone: 'uncertain', text: 'Blocked' },
  down: { tone: 'bad', text: 'Down' },
  stale: { tone: 'silent', text: 'Stale' },
  unknown: { tone: 'silent', text: 'Unknown' },
}

/** For a paused check. */
export const pausedWords: Wording = { tone: 'silent', text: 'Paused' }

export const tag = ({ tone, text }: Wording): Html => html`<strong class="tag ${tone}">${text}</strong>`
