import type { Evidence, PlateLevel, ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import type { ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
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

export const freshWords: Readonly<Record<Evidence['freshness']['verdict'], Wording>> = {
  fresh: { tone: 'good', text: 'fresh' },
  stale: { tone: 'silent', text: 'not fresh' },
  no_data: { tone: 'silent', text: 'no data' },
}

/** The words of a status after a name: `GitHub is down`, `Acme has no data`. */
export const predicate = ({ text }: Wording): string =>
  predicates[text] ?? (text.startsWith('no ') ? `has ${text}` : `is ${text}`)

const predicates: Readonly<Record<string, string>> = {
  answers: 'answers',
  blocked: 'blocks our probes',
  'serves a file': 'serves a file',
}

/** A summary without its instant, which a page says in the reader's zone. */
export const withoutInstant = (summary: string): string =>
  summary.replace(/, measured \d{4}-\d\d-\d\d \d\d:\d\d UTC/, '')
