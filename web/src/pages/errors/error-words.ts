import type { ErrorPlatform } from '@probe-mesh/contracts/error-project'
import type {
  ErrorDrops,
  ErrorIssueStatus,
  ErrorWindow,
} from '@probe-mesh/contracts/error-tracking'
import type { Choice } from '../../html/form.ts'
import type { Wording } from '../../html/tag.ts'

export const platformNames: Readonly<Record<ErrorPlatform, string>> = {
  node: 'Node.js',
  browser: 'Browser',
  python: 'Python',
  other: 'Another Sentry SDK',
}

export const issueWords: Readonly<Record<ErrorIssueStatus, Wording>> = {
  unresolved: { tone: 'bad', text: 'unresolved' },
  resolved: { tone: 'good', text: 'resolved' },
  ignored: { tone: 'silent', text: 'ignored' },
}

export const windowNames: Readonly<Record<ErrorWindow, string>> = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
}

/** Why events that arrived were not stored. */
export const dropWords: Readonly<Record<keyof ErrorDrops, string>> = {
  quota: 'over the quota of the month',
  rate: 'too many at once',
  size: 'too large',
  invalid: 'not readable as an event',
  duplicate: 'sent before, by event id',
  filtered: 'filtered out by a rule of the project',
  scrub: 'could not be scrubbed',
  store: 'the store was away',
}

export const choicesOf = <K extends string>(names: Readonly<Record<K, string>>): Choice[] =>
  Object.entries<string>(names).map(([value, label]) => ({ value, label }))
