import type { ErrorRuleEvent } from '@probe-mesh/contracts/error-tracking/error-rule'
import { instantText, oneLine } from '../../alerts/alert-message.ts'
import type { ChannelMessage } from '../../notifications/channels/message.ts'
import { durationText } from '../../status/duration-text.ts'
import type { ErrorNews } from './hour-bound.ts'
import { namedMax, waitingCount } from './hour-bound.ts'
import type { HourBound } from './hour-bound.ts'

/** What news are of, as far as it is still there. Titles were scrubbed before they were stored. */
export type NewsSubject = {
  projectId: string
  projectName: string
  issue: { id: string; title: string; culprit: string | null; firstSeenMs: number } | null
}

/** When it happened, and what is known of it besides. */
export type NewsDetails = {
  atMs: number
  releases?: readonly string[]
  /** Of a spike: what was counted, over how long, and what is usual; null: nothing is known of before. */
  counted?: { events: number; spanMinutes: number; usual: number | null }
  /** Of a spike that is over: how long it was. */
  lastedMs?: number
}

const titleMax = 200

/**
 * What is told of an issue or a spike: what, in which project and release, since when, where to look.
 * A spike's end says how long it was, and closes what its beginning opened. Pure.
 */
export const composeErrorMessage = (
  { kind }: Pick<ErrorNews, 'kind'>,
  subject: NewsSubject,
  details: NewsDetails,
  { ruleName, publicUrl }: { ruleName: string; publicUrl: string },
): ChannelMessage => ({
  event: details.lastedMs === undefined ? 'alert' : 'recovery',
  title: cut(titleOf(kind, subject, details)),
  text: textOf(subject, details),
  facts: [
    { name: 'Project', value: oneLine(subject.projectName) },
    { name: 'Release', value: (details.releases ?? []).map(oneLine).join(', ') },
    {
      name: 'First seen',
      value: subject.issue === null ? '' : instantText(subject.issue.firstSeenMs),
    },
    { name: 'Rule', value: oneLine(ruleName) },
  ].filter(({ value }) => value !== ''),
  url: urlOf(subject, publicUrl),
  at: new Date(details.atMs).toISOString(),
  alertKey: `error:${kind === 'spike' ? 'spike:' : ''}${subject.issue?.id ?? subject.projectId}`,
})

const words: Readonly<Record<ErrorRuleEvent, string>> = {
  new_issue: 'New error issue',
  regression: 'A resolved error issue came back',
  spike: 'More errors than usual',
}

const titleOf = (kind: ErrorRuleEvent, subject: NewsSubject, { lastedMs }: NewsDetails): string => {
  const name = oneLine(subject.projectName)
  const what = subject.issue === null ? '' : `: ${oneLine(subject.issue.title)}`
  if (lastedMs === undefined) return `${words[kind]} in ${name}${what}`
  return `No more errors than usual in ${name}${what}, after ${durationText(lastedMs)}`
}

const textOf = ({ issue }: NewsSubject, { atMs, counted, lastedMs }: NewsDetails): string =>
  [
    issue === null ? '' : oneLine(issue.title),
    issue === null || issue.culprit === null ? '' : `In ${oneLine(issue.culprit)}.`,
    counted === undefined ? '' : countedText(counted),
    lastedMs === undefined ? `At ${instantText(atMs)}.` : `Over at ${instantText(atMs)}.`,
  ]
    .filter((line) => line !== '')
    .join('\n')

const countedText = ({ events, spanMinutes, usual }: NonNullable<NewsDetails['counted']>): string => {
  const counted = `${events} events arrived in ${spanMinutes} minutes`
  if (usual === null) return `${counted}; there is no baseline yet.`
  return `${counted}; the average of the day before is ${Number(usual.toPrecision(2))}.`
}

const urlOf = ({ projectId, issue }: NewsSubject, publicUrl: string): string => {
  const project = `${publicUrl}/dashboard/errors/${projectId}`
  return issue === null ? project : `${project}/issues/${issue.id}`
}

const kinds: readonly (readonly [ErrorRuleEvent, string, string])[] = [
  ['new_issue', 'new error issue', 'new error issues'],
  ['regression', 'regression', 'regressions'],
  ['spike', 'error spike', 'error spikes'],
]

/**
 * One message for all that was beyond the bound of an hour: how many of each kind, and the first of
 * them by name. Pure.
 * @param subjectOf null for what was deleted meanwhile
 */
export const composeGathered = (
  bound: HourBound,
  subjectOf: (news: ErrorNews) => NewsSubject | null,
  {
    ruleId,
    ruleName,
    publicUrl,
    nowMs,
  }: {
    ruleId: string
    ruleName: string
    publicUrl: string
    nowMs: number
  },
): ChannelMessage => {
  const { counts, first } = bound.waiting ?? { counts: {}, first: [] }
  const said = kinds.flatMap(([kind, one, many]) => {
    const count = counts[kind] ?? 0
    return count === 0 ? [] : [`${count} more ${count === 1 ? one : many}`]
  })
  const lines = first.flatMap((news) => {
    const subject = subjectOf(news)
    return subject === null ? [] : [cut(titleOf(news.kind, subject, { atMs: nowMs }))]
  })
  const left = waitingCount(bound) - Math.min(first.length, namedMax)
  return {
    event: 'digest',
    title: said.join(', '),
    text: [
      'The rule reached its hourly limit of single notifications. This is a summary of the rest.',
      ...lines,
      ...(left > 0 ? [`and ${left} more`] : []),
    ].join('\n'),
    facts: [
      ...(bound.hourAtMs === null ? [] : [{ name: 'Since', value: instantText(bound.hourAtMs) }]),
      { name: 'Rule', value: oneLine(ruleName) },
    ],
    url: `${publicUrl}/dashboard/errors`,
    at: new Date(nowMs).toISOString(),
    alertKey: `error:gathered:${ruleId}:${bound.hourAtMs ?? 0}`,
  }
}

const cut = (text: string): string =>
  text.length <= titleMax ? text : `${text.slice(0, titleMax - 1).toWellFormed()}…`
