import type { Evidence, PlateLevel, ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import type { ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import type { Wording } from './components/tag.ts'

/** Words for the status of a catalog service, a level of a list, and one region. */
export const serviceWords: Readonly<Record<ServiceStatus | PlateLevel | RegionStatusName, Wording>> = {
  up: { tone: 'good', text: 'up' },
  down: { tone: 'bad', text: 'down' },
  down_in_some_regions: { tone: 'bad', text: 'down in some regions' },
  degraded: { tone: 'uncertain', text: 'degraded' },
  // a refused probe shows neither up nor down (S-103)
  blocked: { tone: 'uncertain', text: 'blocked' },
  stale: { tone: 'silent', text: 'no recent data' },
  unknown: { tone: 'silent', text: 'no data' },
  no_data: { tone: 'silent', text: 'no data' },
  not_covered: { tone: 'silent', text: 'not covered' },
}

/** Words for up by what good readings show: an address that answers does not prove a working service. */
const shownWords: Readonly<Record<ProbeGrade, Wording>> = {
  works: serviceWords.up,
  answers: { tone: 'good', text: 'answers' },
  edge: { tone: 'silent', text: 'serves a file' },
}

/** Words for the status of a service, no stronger than the readings show. */
export const standing = (status: ServiceStatus | PlateLevel, shows: ProbeGrade | null): Wording =>
  status === 'up' ? shownWords[shows ?? 'answers'] : serviceWords[status]

/** Words for a level of many services, some of which are only known to answer. */
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

/** A summary without its instant; pages show the instant in the reader's zone. */
export const withoutInstant = (summary: string): string =>
  summary.replace(/, measured \d{4}-\d\d-\d\d \d\d:\d\d UTC/, '')
