import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { ChannelMessage } from '../notifications/channels/forms/message.ts'
import { causeText, factorText } from './shared-causes/cause-text.ts'
import type { SharedCause } from './shared-causes/shared-cause.ts'
import { durationText } from '../status/duration-text.ts'
import type { AlertMessage } from './alert-message.ts'
import { childrenText } from './name-children.ts'

export type CheckMessage = AlertMessage & { checkId: string }

/** The state of a check when the digest is sent. Unix milliseconds. */
export type CheckNow = { status: CheckStatus; sinceMs: number | null }

/** Checks that a digest names, and causes that it lists; the rest is counted. */
const namesMax = 20
const groupsMax = 10

/**
 * One message for many. It reports the state when it is sent: each check once, grouped by outcome and by
 * cause, in order of its start, the first checks by name and time (S-1907).
 * @param options.now the current states, without deleted checks
 * @param options.isOver no reported alert is open any more, so receivers may close what they opened
 */
export const composeDigest = (
  messages: readonly CheckMessage[],
  options: {
    alertKey: string
    publicUrl: string
    isOver: boolean
    now: ReadonlyMap<string, CheckNow>
    /** What explains all of them. */
    shared?: SharedCause | undefined
  },
): ChannelMessage => {
  const summaries = [...Map.groupBy(messages, ({ checkId }) => checkId).values()]
    .map((ofCheck) => summarise(ofCheck, options.now))
    .toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))
  const kinds = kindsInOrder.flatMap((kind) => {
    const of = summaries.filter((summary) => summary.kind === kind)
    return of.length === 0 ? [] : [{ kind, summaries: of }]
  })
  const titles = kinds.map(({ kind, summaries: of }) => titleOf[kind](of.length))
  const times = messages.map(({ content }) => content.at).toSorted()
  const [first = '', last = ''] = [times[0], times.at(-1)]
  return {
    event: options.isOver ? 'recovery' : 'digest',
    title: `${titles.join(', ')}${options.isOver ? '; no alert is open' : ''}${options.shared === undefined ? '' : `, behind ${factorText(options.shared.factor)}`}`,
    text: [
      ...(options.shared === undefined ? [] : [causeText(options.shared, options.shared.sinceMs)]),
      messages.length === 1
        ? `One notification ${periodText(first, last)}, with the current status of its check.`
        : `This message combines ${messages.length} notifications ${periodText(first, last)}. It lists each check with its current status.`,
      ...linesOf(kinds),
      ...dependentLines(messages),
    ].join('\n'),
    facts: [
      ...kinds.map(({ kind, summaries: of }) => ({ name: factNames[kind], value: String(of.length) })),
      ...(options.shared === undefined ? [] : [{ name: 'Behind', value: factorText(options.shared.factor) }]),
    ],
    url: `${options.publicUrl}/dashboard/checks`,
    at: last,
    alertKey: options.alertKey,
  }
}

/** The failing checks that depend on the named ones, most first. */
const dependentLines = (messages: readonly CheckMessage[]): string[] => {
  const newest = new Map(messages.map((message) => [message.checkId, message]))
  return [...newest.values()]
    .flatMap(({ event, checkName, children }) =>
      children === undefined ? [] : [{ event, checkName, children }],
    )
    .toSorted((a, b) => b.children.count - a.children.count)
    .slice(0, groupsMax)
    .map(({ event, checkName, children }) => childrenText(event, children, checkName))
}

/** The outcomes, worst first. */
const kindsInOrder = ['down', 'unwell', 'cameBack', 'recovered', 'gone'] as const
type Kind = (typeof kindsInOrder)[number]

/** `from` and `until`: ISO 8601; null: unknown, or still open. */
type CheckSummary = {
  kind: Kind
  name: string
  status: CheckStatus
  cause: string
  reason: string | undefined
  regions: readonly string[]
  from: string
  until: string | null
  takenBy: string | null
}

const summarise = (messages: readonly CheckMessage[], now: ReadonlyMap<string, CheckNow>): CheckSummary => {
  const [first] = messages
  if (first === undefined) throw new Error('a summary needs a message')
  const bad = messages.findLast(({ event }) => event !== 'recovery')
  const recovery = messages.findLast(({ event }) => event === 'recovery')
  const check = now.get(first.checkId)
  const { checkName: name, cause, reason, regions } = bad ?? first
  const began = messages.find(({ event }) => event !== 'recovery') ?? first
  const takenBy = bad?.acknowledgedBy ?? null
  const summary = { name, cause, reason, regions, from: began.since ?? began.content.at, takenBy }
  if (check === undefined) return { ...summary, kind: 'gone', status: first.status, until: null }
  const { status } = check
  if (status === 'operational') {
    const until = recovery?.content.at ?? isoOf(check.sinceMs)
    return { ...summary, status, until, kind: bad === undefined ? 'recovered' : 'cameBack' }
  }
  const kind = status === 'down' ? 'down' : 'unwell'
  const from = kind === 'down' ? (isoOf(check.sinceMs) ?? summary.from) : summary.from
  return { ...summary, status, from, until: null, kind }
}

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const checks = (count: number): string => (count === 1 ? '1 check' : `${count} checks`)

const titleOf: Readonly<Record<Kind, (count: number) => string>> = {
  down: (count) => `${checks(count)} ${count === 1 ? 'is' : 'are'} down now`,
  unwell: (count) => `${checks(count)} ${count === 1 ? 'is' : 'are'} degraded or without data now`,
  cameBack: (count) => `${checks(count)} failed and recovered`,
  recovered: (count) => `${checks(count)} ${count === 1 ? 'has' : 'have'} recovered`,
  gone: (count) => `${checks(count)} ${count === 1 ? 'is' : 'are'} deleted`,
}

const factNames: Readonly<Record<Kind, string>> = {
  down: 'Down now',
  unwell: 'Degraded or without data now',
  cameBack: 'Failed and recovered',
  recovered: 'Recovered',
  gone: 'Deleted',
}

/** The largest groups, each kind's in order of their start, and a count of the checks of the others. */
const linesOf = (kinds: readonly { kind: Kind; summaries: readonly CheckSummary[] }[]): string[] => {
  const groups = kinds.flatMap(({ summaries }) => [...Map.groupBy(summaries, groupOf).values()])
  const shown = new Set(groups.toSorted((a, b) => b.length - a.length).slice(0, groupsMax))
  let named = 0
  const lines = groups
    .filter((group) => shown.has(group))
    .map((group) => {
      const names = group.slice(0, namesMax - named).map(nameText)
      named += names.length
      const more = group.length - names.length
      return `${headOf(group)}: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`
    })
  const left = groups.filter((group) => !shown.has(group))
  return left.length === 0 ? lines : [...lines, `${left.length} more causes: ${left.flat().length} checks`]
}

const groupOf = ({ kind, status, cause, regions }: CheckSummary): string =>
  JSON.stringify(kind === 'down' || kind === 'unwell' ? [kind, status, cause, regions] : [kind])

const headOf = (group: readonly CheckSummary[]): string => {
  const [first] = group
  if (first === undefined) return ''
  const where = first.regions.length === 0 ? '' : `, seen from ${first.regions.join(', ')}`
  switch (first.kind) {
    case 'down':
    case 'unwell':
      return `${group.length} ${first.status} now (${whyOf(group)}${where})`
    case 'cameBack':
      return `${group.length} failed and recovered`
    case 'recovered':
      return `${group.length} recovered`
    case 'gone':
      return `${group.length} deleted`
    default:
      return first.kind satisfies never
  }
}

/** The reason of all, or what theirs have in common: names and amounts are left out of a cause. */
const whyOf = ([first, ...others]: readonly CheckSummary[]): string =>
  first?.reason !== undefined && others.every(({ reason }) => reason === first.reason)
    ? first.reason
    : (first?.cause ?? '')

const nameText = ({ name, kind, from, until, takenBy }: CheckSummary): string => {
  if (kind === 'gone') return name
  const taken = takenBy === null ? '' : `, acknowledged by ${takenBy}`
  if (kind === 'down' || kind === 'unwell') return `${name} (since ${timeText(from)}${taken})`
  const lasted = until === null ? 0 : Date.parse(until) - Date.parse(from)
  return `${name} (${timeText(from)}${lasted > 0 ? `, for ${durationText(lasted)}` : ''})`
}

const periodText = (first: string, last: string): string =>
  first.slice(0, minuteLength) === last.slice(0, minuteLength)
    ? `of ${timeText(first)}`
    : `from ${timeText(first)} to ${timeText(last)}`

/** Of an ISO 8601 instant, up to the minute: texts show no seconds. */
const minuteLength = 16

/** `2026-11-20T12:00:00.000Z` as `2026-11-20T12:00:00Z`, which each receiver gets in its own zone (`in-zone.ts`). */
const timeText = (at: string): string => `${at.slice(0, 19)}Z`
