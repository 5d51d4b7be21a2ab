import type { ErrorPlatform } from '../contracts/error-project.ts'
import type { ErrorDrops, ErrorIssueStatus, ErrorLevel, ErrorWindow } from '../contracts/error-tracking.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Choice } from '@probe-mesh/web/src/html/components/form'
import type { Wording } from '@probe-mesh/web/src/html/components/tag'

export const platformNames: Readonly<Record<ErrorPlatform, string>> = {
  node: 'Node.js',
  browser: 'Browser',
  python: 'Python',
  other: 'Other Sentry SDK',
}

export const issueWords: Readonly<Record<ErrorIssueStatus, Wording>> = {
  unresolved: { tone: 'uncertain', text: 'Unresolved' },
  resolved: { tone: 'good', text: 'Resolved' },
  ignored: { tone: 'silent', text: 'Ignored' },
}

export const regressedWords: Wording = { tone: 'bad', text: 'Regressed' }

export const windowNames: Readonly<Record<ErrorWindow, string>> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

export const levelNames: Readonly<Record<ErrorLevel, string>> = {
  fatal: 'Fatal',
  error: 'Error',
  warning: 'Warning',
  info: 'Info',
  debug: 'Debug',
}

/** The level of an event with a mark of its own shape; a level that SDKs do not have is shown as it came. */
export const levelMark = (level: string): Html =>
  html`<span class="level ${Object.hasOwn(levelNames, level) ? level : 'other'}"
    >${Object.hasOwn(levelNames, level) ? levelNames[level as ErrorLevel] : level}</span
  >`

/** Why received events were not stored. */
export const dropWords: Readonly<Record<keyof ErrorDrops, string>> = {
  quota: 'Monthly quota used up',
  rate: 'Rate limit',
  size: 'Too large',
  invalid: 'Not a readable event',
  duplicate: 'Duplicate event id',
  filtered: 'Filtered by the project',
  scrub: 'Scrubbing failed',
  store: 'Database unavailable',
}

/** What each reason means, and what to do. */
export const dropAdvice: Readonly<Record<keyof ErrorDrops, string>> = {
  quota: 'Upgrade the plan, or filter events that you do not need.',
  rate: 'One project may not send this fast. Find the loop that throws, or set a sample rate in the SDK.',
  size: 'Over 200 KB compressed or 1 MB uncompressed. Send fewer variables or breadcrumbs.',
  invalid: 'Look for a very old SDK, or for a proxy that changes requests.',
  duplicate: 'The event is already stored. The SDK sent it again; nothing is lost.',
  filtered: 'A filter of this project matched, as configured.',
  scrub: 'The event was not stored because it could not be searched for secrets. Tell the operator.',
  store: 'The events are lost. The operator knows since when.',
}

/** Why an SDK dropped something before it was sent, by the names that SDKs use. */
const reasonWords: Readonly<Record<string, string>> = {
  ratelimit_backoff: 'Rate limited: the SDK paused sending',
  network_error: 'Network error',
  send_error: 'Send refused',
  queue_overflow: 'Queue full',
  buffer_overflow: 'Buffer full',
  cache_overflow: 'Cache full',
  sample_rate: 'Sampled out',
  before_send: 'Dropped by beforeSend',
  event_processor: 'Dropped by an event processor',
  ignored: 'Ignored by configuration',
  internal_sdk_error: 'Internal SDK error',
  invalid: 'Invalid',
  no_parent_span: 'Without a parent span',
}

const itemWords: Readonly<Record<string, string>> = {
  transaction: 'Transactions (performance)',
  span: 'Spans (performance)',
  session: 'Sessions (release health)',
  sessions: 'Aggregated sessions (release health)',
  attachment: 'Attachments',
  user_report: 'User reports',
  feedback: 'User feedback',
  profile: 'Profiles',
  profile_chunk: 'Profile chunks',
  replay_event: 'Replays',
  replay_recording: 'Replay recordings',
  replay_video: 'Replay videos',
  check_in: 'Cron check-ins: use a heartbeat check instead',
  log: 'Logs',
  metric_buckets: 'Metrics',
  statsd: 'Metrics',
  raw_security: 'Browser security reports',
  other: 'Other',
}

const categoryWords: Readonly<Record<string, string>> = {
  error: 'Errors',
  default: 'Events',
  transaction: 'Transactions',
  span: 'Spans',
  session: 'Sessions',
  attachment: 'Attachments',
  replay: 'Replays',
  profile: 'Profiles',
  log_item: 'Logs',
  monitor: 'Check-ins',
  feedback: 'Feedback',
}

/** A known word, else what the SDK sent: newer SDKs have more. */
const wordIn = (words: Readonly<Record<string, string>>) => (word: string) =>
  (Object.hasOwn(words, word) ? words[word] : undefined) ?? word

export const reasonText = wordIn(reasonWords)
export const categoryText = wordIn(categoryWords)
export const itemText = wordIn(itemWords)

export const choicesOf = <K extends string>(names: Readonly<Record<K, string>>): Choice[] =>
  Object.entries<string>(names).map(([value, label]) => ({ value, label }))
