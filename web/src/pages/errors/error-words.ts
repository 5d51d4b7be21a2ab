import type { ErrorPlatform } from '@probe-mesh/contracts/error-tracking/error-project'
import type {
  ErrorDrops,
  ErrorIssueStatus,
  ErrorWindow,
} from '@probe-mesh/contracts/error-tracking/error-tracking'
import type { Choice } from '../../html/components/form.ts'
import type { Wording } from '../../html/components/tag.ts'

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

/** What each of those means, and what to do. */
export const dropAdvice: Readonly<Record<keyof ErrorDrops, string>> = {
  quota:
    "They came after the account's events of the month were spent: a higher tier, or filters for what you do not want, leave room for the rest.",
  rate: 'They came faster than one project may report: find the loop that throws, or let the SDK send a sample.',
  size: 'They were larger than 200 KB packed or 1 MB unpacked: let the SDK send less with them, such as fewer variables.',
  invalid:
    'They could not be read: look for a very old SDK, or for something on the way that changes what is sent.',
  duplicate:
    'An event of the same id was stored before, as when an SDK sends again: nothing is lost, and nothing is to be done.',
  filtered:
    'A filter of the project is true of them, as you wanted: where these are more than you expect, look at the filters.',
  scrub:
    'They could not be searched for secrets, and so were not stored: that is a fault of the service, which its operator should hear of.',
  store:
    'What stores them was away or had too much to do: they are lost, and the operator can tell since when.',
}

/** Why an SDK threw something away, by the names that SDKs have for it. */
const reasonWords: Readonly<Record<string, string>> = {
  ratelimit_backoff: 'it was told to send nothing for a while',
  network_error: 'the network failed',
  send_error: 'it was not taken',
  queue_overflow: 'its queue was full',
  buffer_overflow: 'its buffer was full',
  cache_overflow: 'its cache was full',
  sample_rate: 'it sends a sample only',
  before_send: 'the hook "before send" dropped it',
  event_processor: 'a processor of events dropped it',
  ignored: 'it was set to ignore it',
  internal_sdk_error: 'the SDK itself failed',
  invalid: 'it was not sound',
  no_parent_span: 'it belonged to no span',
}

const itemWords: Readonly<Record<string, string>> = {
  transaction: 'transactions (performance)',
  span: 'spans (performance)',
  session: 'sessions (release health)',
  sessions: 'sums of sessions (release health)',
  attachment: 'attachments',
  user_report: 'reports of users',
  feedback: 'feedback of users',
  profile: 'profiles',
  profile_chunk: 'parts of profiles',
  replay_event: 'replays',
  replay_recording: 'recordings of replays',
  replay_video: 'videos of replays',
  check_in: 'check-ins of cron jobs: a heartbeat check does that here',
  log: 'logs',
  metric_buckets: 'metrics',
  statsd: 'metrics',
  raw_security: 'security reports of browsers',
  other: 'others',
}

const categoryWords: Readonly<Record<string, string>> = {
  error: 'errors',
  default: 'events',
  transaction: 'transactions',
  span: 'spans',
  session: 'sessions',
  attachment: 'attachments',
  replay: 'replays',
  profile: 'profiles',
  log_item: 'logs',
  monitor: 'check-ins',
  feedback: 'feedback',
}

/** A word with its meaning, where that is known: SDKs may have newer ones. */
const explained = (words: Readonly<Record<string, string>>) => (word: string) =>
  Object.hasOwn(words, word) ? `${words[word]} (${word})` : word

export const reasonText = explained(reasonWords)
export const categoryText = explained(categoryWords)
export const itemText = (type: string): string =>
  (Object.hasOwn(itemWords, type) ? itemWords[type] : undefined) ?? type

export const choicesOf = <K extends string>(names: Readonly<Record<K, string>>): Choice[] =>
  Object.entries<string>(names).map(([value, label]) => ({ value, label }))
