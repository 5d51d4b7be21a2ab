import type { PlateLevel, ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import type { ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { tag } from './components/tag.ts'
import type { Wording } from './components/tag.ts'

/** How a service of the catalog stands, as a whole, in a list, and in one region. */
export const serviceWords: Readonly<Record<ServiceStatus | PlateLevel | RegionStatusName, Wording>> = {
  up: { tone: 'good', text: 'up' },
  down: { tone: 'bad', text: 'down' },
  down_in_some_regions: { tone: 'bad', text: 'down in some regions' },
  degraded: { tone: 'uncertain', text: 'degraded' },
  // a refused probe has seen neither (S-103)
  blocked: { tone: 'uncertain', text: 'blocked' },
  stale: { tone: 'silent', text: 'no recent data' },
  unknown: { tone: 'silent', text: 'no data' },
  no_data: { tone: 'silent', text: 'no data' },
  not_covered: { tone: 'silent', text: 'not covered' },
}

/** What is up, in the words of what its good readings show: an address that answers is not a service that works. */
const shownWords: Readonly<Record<ProbeGrade, Wording>> = {
  works: serviceWords.up,
  answers: { tone: 'good', text: 'answers' },
  edge: { tone: 'silent', text: 'serves a file' },
}

/** How a service stands, said no stronger than it was shown. */
export const standing = (status: ServiceStatus | PlateLevel, shows: ProbeGrade | null): Wording =>
  status === 'up' ? shownWords[shows ?? 'answers'] : serviceWords[status]

/** A level of many services, of which some are only known to answer. */
export const levelWords = (level: PlateLevel): Wording =>
  level === 'up' ? { tone: 'good', text: 'up or answering' } : serviceWords[level]

/** The first paragraph of an answer: the verdict, and the sentence that says it. */
export const lead = (wording: Wording, summary: string): Html =>
  html`<p>${tag(wording)}</p>
    <p class="lead">${summary}</p>`
