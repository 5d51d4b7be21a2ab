import { oneLine } from '@probe-mesh/runtime/one-line'
import type { ErrorRuleEvent } from '../contracts/error-rule.ts'
import { instantText } from '@probe-mesh/control-plane/src/alerts/alert-message'
import type { ChannelMessage } from '@probe-mesh/control-plane/src/notifications/channels/forms/message'
import { durationText } from '@probe-mesh/control-plane/src/status/duration-text'
import { namedMax, waitingCount, type ErrorNotice, type HourBound } from './hour-bound.ts'

/** The project of a notice, and its issue. Titles were scrubbed before they were stored. */
export type NoticeSubject = {
  projectId: string
  projectName: string
  issue: { id: string; title: string; culprit: string | null; firstSeenMs: number } | null
}

export type NoticeDetails = {
  atMs: number
  releases?: readonly string[]
  /** For a spike: the count, its span and the baseline; null: there is no baseline yet. */
  counted?: { events: number; spanMinutes: number; baseline: number | null }
  /** For the end of a spike: its duration. */
  lastedMs?: number
}

const titleMax = 200

/**
 * The message about an issue or a spike, with project, release, time and link. The end of a spike names its
 * duration and has the alert key of its start, so that it resolves that alert.
 */
export const composeErrorMessage = (
  { kind }: Pick<ErrorNotice, 'kind'>,
  subject: NoticeSubject,
  details: NoticeDetails,
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

const titles: Readonly<Record<ErrorRuleEvent, string>> = {
  new_issue: 'New error issue',
  regression: 'A resolved error issue came back',
  spike: 'More errors than usual',
}

const titleOf = (kind: ErrorRuleEvent, subject: NoticeSubject, { lastedMs }: NoticeDetails): string => {
  const name = oneLine(subject.projectName)
  const what = subject.issue === null ? '' : `: ${oneLine(subject.issue.title)}`
  if (lastedMs === undefined) return `${titles[kind]} in ${name}${what}`
  return `No more errors than usual in ${name}${what}, after ${durationText(lastedMs)}`
}

const textOf = ({ issue }: NoticeSubject, { atMs, counted, lastedMs }: NoticeDetails): string =>
  [
    issue === null ? '' : oneLine(issue.title),
    issue === null || issue.culprit === null ? '' : `In ${oneLine(issue.culprit)}.`,
    counted === undefined ? '' : countedText(counted),
    lastedMs === undefined ? `At ${instantText(atMs)}.` : `Over at ${instantText(atMs)}.`,
  ]
    .filter((line) => line !== '')
    .join('\n')

const countedText = ({ events, spanMinutes, baseline }: NonNullable<NoticeDetails['counted']>): string => {
  const counted = `${events} events arrived in ${spanMinutes} minutes`
  if (baseline === null) return `${counted}; there is no baseline yet.`
  return `${counted}; the average of the day before is ${Number(baseline.toPrecision(2))}.`
}

const urlOf = ({ projectId, issue }: NoticeSubject, publicUrl: string): string => {
  const project = `${publicUrl}/dashboard/errors/${projectId}`
  return issue === null ? project : `${project}/issues/${issue.id}`
}

const kinds: readonly (readonly [ErrorRuleEvent, string, string])[] = [
  ['new_issue', 'new error issue', 'new error issues'],
  ['regression', 'regression', 'regressions'],
  ['spike', 'error spike', 'error spikes'],
]

/**
 * One message for all notices beyond a rule's hourly limit: the count of each kind, and the first ones by
 * title.
 * @param subjectOf null for a deleted project or issue
 */
export const composeDigest = (
  bound: HourBound,
  subjectOf: (notice: ErrorNotice) => NoticeSubject | null,
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
  const title = kinds.flatMap(([kind, one, many]) => {
    const count = counts[kind] ?? 0
    return count === 0 ? [] : [`${count} more ${count === 1 ? one : many}`]
  })
  const lines = first.flatMap((notice) => {
    const subject = subjectOf(notice)
    return subject === null ? [] : [cut(titleOf(notice.kind, subject, { atMs: nowMs }))]
  })
  const left = waitingCount(bound) - Math.min(first.length, namedMax)
  return {
    event: 'digest',
    title: title.join(', '),
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
