import { oneLine } from '@probe-mesh/runtime/one-line'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { PublicWords } from '@probe-mesh/contracts/status-page/words/public-words'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import type { ChannelMessage } from '../notifications/channels/forms/message.ts'
import type { MailMessage } from '../notifications/mail/mail.ts'
import { durationText } from '../status/duration-text.ts'
import type { SharedCause } from './shared-causes/shared-cause.ts'
import type { Notice } from './when-to-alert.ts'
import { normaliseReason, withoutRegions } from '../status/cause.ts'
import { evidenceOf, type Evidence, type WatchedCheck } from './evidence.ts'
import { html, textOf as sourceOf, withBreaks } from '@probe-mesh/runtime/html'

/** What a message about an act says. Null: the notice is about the check itself. */
const actTexts = (
  { event, alert }: Notice,
  name: string,
  phrase: string,
): { title: string; text: string } | null => {
  switch (event) {
    case 'acknowledged':
      return {
        title: `${name} ${phrase}: acknowledged by ${alert.acknowledged?.by ?? 'a member'}`,
        text: 'No more reminders follow. You get a message if it gets worse, and when it recovers.',
      }
    case 'resolved':
      return {
        title: `${name} ${phrase}: messages ended by ${alert.resolved?.by ?? 'a member'}`,
        text: 'No more messages follow about this outage. The check is measured as before.',
      }
    default:
      return null
  }
}

/** `(escalation level 2, repeat 1)`, the end of a title; empty for other notices. */
const levelText = ({ event, step }: Notice): string => {
  if (event !== 'escalation' || step === undefined) return ''
  const repeat = step.round === 0 ? '' : `, repeat ${step.round}`
  return ` (escalation level ${step.level + 1}${repeat})`
}

/** Why a level was reached: no one has taken the alert, or no one was on call. */
const escalationText = ({ event, gaps = [] }: Notice): string => {
  const nobody = gaps.length === 0 ? '' : `No one is on call in ${[...new Set(gaps)].join(', ')}.`
  const waiting = event === 'escalation' && gaps.length === 0 ? 'It is not acknowledged.' : ''
  return nobody || waiting
}

/** The failing checks that depend on one: how many, and the first of them. */
export type FailingChildren = { count: number; names: readonly string[] }

/** A message about one check, with the fields by which a digest groups it. */
export type AlertMessage = {
  event: Notice['event']
  checkName: string
  status: CheckStatus
  cause: string
  /** Why, in full; absent in recoveries, and in messages of an earlier version. */
  reason?: string
  regions: string[]
  /** Since when it is not operational, ISO 8601; absent in messages of an earlier version. */
  since?: string
  /** Added when it is sent: the failing checks that depend on the check. */
  children?: FailingChildren
  /** Added when it is sent: what explains the failure, if anything does. */
  shared?: SharedCause
  /** The flip that opened its alert; absent in messages of an earlier version. */
  flipId?: string
  /** Who took the alert; absent while nobody did. */
  acknowledgedBy?: string | undefined
  /** What it was composed from; absent in messages of an earlier version. */
  parts?: AlertParts
  content: ChannelMessage
}

/** What a message says. */
type AlertParts = {
  notice: Notice
  check: Pick<WatchedCheck, 'id' | 'name' | 'url' | 'target'>
  evidence: Evidence
  ruleName: string
  publicUrl: string
  /** How long a check must be unwell before the rule alerts. */
  afterSeconds?: number | undefined
}

/**
 * The message of a notice: what, where, since when, the evidence, what was not measured, and a link; a
 * recovery says how long the outage took. Plain text; each channel formats it.
 * @param afterSeconds how long a check must be unwell before the rule alerts
 */
export const composeAlert = (
  notice: Notice,
  check: WatchedCheck,
  ruleName: string,
  publicUrl: string,
  afterSeconds?: number,
): AlertMessage => {
  const evidence = evidenceOf(check, notice.atMs)
  const { id, name, url, target } = check
  return composed({
    notice,
    check: { id, name, url, target },
    evidence,
    ruleName,
    publicUrl,
    afterSeconds,
  })
}

/**
 * A message that waited, as it is sent: while its outage lasts it names the reason and the regions of now.
 * @param check as it is now; undefined: it is deleted
 */
export const composeAgain = (
  message: AlertMessage,
  check: WatchedCheck | undefined,
  nowMs: number,
): AlertMessage => {
  const { parts, event, status } = message
  if (parts === undefined) return message
  const { notice } = parts
  const isSo = check !== undefined && !check.paused && event !== 'recovery' && check.state.status === status
  if (!isSo) return composed(parts)
  const alert = { ...notice.alert, reason: check.state.statusReason }
  return composed({ ...parts, notice: { ...notice, alert }, evidence: evidenceOf(check, nowMs) })
}

const composed = (parts: AlertParts): AlertMessage => {
  const { notice, check, evidence, ruleName, publicUrl, afterSeconds } = parts
  const { event, alert, atMs } = notice
  const name = oneLine(check.name)
  // the evidence says the regions as they are now
  const reason = oneLine(withoutRegions(alert.reason ?? ''))
  return {
    event,
    checkName: name,
    status: alert.status,
    cause: event === 'recovery' ? 'recovered' : normaliseReason(alert.reason),
    ...(event !== 'recovery' && reason !== '' && { reason }),
    regions: event === 'recovery' ? [] : evidence.failing.toSorted(),
    since: new Date(alert.sinceMs).toISOString(),
    flipId: alert.flipId,
    acknowledgedBy: alert.acknowledged?.by,
    parts,
    content: {
      event: event !== 'escalation' ? event : notice.step?.round === 0 ? 'alert' : 'reminder',
      title: titleOf(notice, name),
      text: textOf(notice, reason, evidence),
      facts: [...factsOf(notice, check, evidence, ruleName), ...delayOf(afterSeconds)],
      url: `${publicUrl}/dashboard/checks/${check.id}`,
      at: new Date(atMs).toISOString(),
      alertKey: `alert:${check.id}:${alert.flipId}`,
    },
  }
}

/** A status as the end of a sentence about a check. */
const statusPhrase = (status: CheckStatus): string => {
  switch (status) {
    case 'operational':
    case 'degraded':
    case 'down':
      return `is ${status}`
    case 'stale':
      return 'has no recent data'
    case 'unknown':
      return 'has no data'
    default:
      return status satisfies never
  }
}

/** An instant as messages are composed: each receiver gets it in its own zone (`in-zone.ts`). */
export const instantText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** The title of an outage's first message. */
export const alertTitle = (name: string, status: CheckStatus): string => `${name} ${statusPhrase(status)}`

const titleOf = (notice: Notice, name: string): string => {
  const { event, alert, atMs } = notice
  const act = actTexts(notice, name, statusPhrase(alert.status))
  if (act !== null) return act.title
  const duration = durationText(atMs - alert.sinceMs)
  if (event === 'recovery') return `${name} has recovered after ${duration}`
  if (event === 'alert') return alertTitle(name, alert.status)
  return `${name} ${statusPhrase(alert.status)}, not operational for ${duration}${levelText(notice)}`
}

const textOf = (notice: Notice, reason: string, evidence: Evidence): string => {
  const { event, alert, atMs, wasHeld } = notice
  return [
    actTexts(notice, '', '')?.text ?? escalationText(notice),
    reason,
    event === 'recovery'
      ? `Operational since ${instantText(atMs)}, after ${durationText(atMs - alert.sinceMs)}.`
      : `Since ${instantText(alert.sinceMs)}${forText(atMs - alert.sinceMs)}.`,
    evidenceText(evidence),
    wasHeld ? delayText(alert) : '',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

/** Why a message comes later than the failure. */
const delayText = ({ heldBy }: Notice['alert']): string =>
  heldBy === undefined
    ? 'Maintenance delayed this message until now.'
    : `This check depends on ${oneLine(heldBy.name)}, whose failure delayed this message until now.`

/** `, for 12 min`; nothing within the first minute. */
const forText = (ms: number): string => (ms < 60_000 ? '' : `, for ${durationText(ms)}`)

/** `Failing in fra, iad. Up in sjc. Not measured in nrt (no recent reading).` */
export const evidenceText = (
  { failing, up, blocked, notMeasured }: Evidence,
  { event, headline }: PublicWords = wordsOf('en'),
): string =>
  (
    [
      [event.failingIn, failing],
      [event.upIn, up],
      [event.blockedIn, blocked],
      [event.notMeasuredIn, notMeasured.map(({ region, reason }) => `${region} (${oneLine(reason)})`)],
    ] as const
  )
    .flatMap(([sentence, regions]) => (regions.length > 0 ? [sentence(headline.list(regions))] : []))
    .join(' ')

/** How soon the rule alerts. */
const delayOf = (afterSeconds: number | undefined): ChannelMessage['facts'] => {
  if (afterSeconds === undefined) return []
  const value =
    afterSeconds === 0
      ? 'immediately'
      : `after ${durationText(afterSeconds * 1_000)}, not on shorter problems`
  return [{ name: 'Rule alerts', value }]
}

/** Says `down` if a message did. */
const wasSince = ({ toldDown, was = 'down' }: Notice['alert']): string =>
  toldDown || was === 'down'
    ? 'Was down since'
    : was === 'degraded'
      ? 'Was degraded since'
      : 'Was unknown since'

const factsOf = (
  { alert, event }: Notice,
  check: AlertParts['check'],
  { failing, notMeasured }: Evidence,
  ruleName: string,
): ChannelMessage['facts'] =>
  [
    { name: 'Check', value: oneLine(check.name) },
    { name: 'Target', value: check.url ?? check.target ?? '' },
    { name: 'Status', value: alert.status },
    { name: event === 'recovery' ? wasSince(alert) : 'Since', value: instantText(alert.sinceMs) },
    { name: 'Failing in', value: failing.join(', ') },
    { name: 'Not measured in', value: notMeasured.map(({ region }) => region).join(', ') },
    { name: 'Acknowledged by', value: alert.acknowledged?.by ?? '' },
    { name: 'Rule', value: ruleName },
  ].filter(({ value }) => value !== '')

/** The button of a mail that acknowledges, for its receiver only. */
export type MailAction = { label: string; url: string }

/**
 * A channel message as a mail to a person.
 * @param unsubscribeUrl for somebody who is no member: the link that ends the mails
 */
export const composeAlertMail = (
  { title, text, facts, url }: ChannelMessage,
  { unsubscribeUrl, action = null }: { unsubscribeUrl?: string | undefined; action?: MailAction | null } = {},
): MailMessage => {
  const lines = facts.map(({ name, value }) => `${name}: ${value}`).join('\n')
  const acting = action === null ? '' : `${action.label}: ${action.url}\n`
  const end = unsubscribeUrl === undefined ? null : { label: 'Unsubscribe from these alerts', unsubscribeUrl }
  return {
    subject: title,
    text: `${text}\n\n${lines}\n\n${url}\n${acting}${end === null ? '' : `\n-- \n${end.label}: ${end.unsubscribeUrl}\n`}`,
    html: sourceOf(
      html`<p>${withBreaks(text)}</p>
        <p>${withBreaks(lines)}</p>
        ${action !== null && html`<p><a href="${action.url}">${action.label}</a></p>`}
        <p><a href="${url}">${url}</a></p>
        ${end !== null && html`<p><a href="${end.unsubscribeUrl}">${end.label}</a></p>`}`,
    ),
    ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl }),
  }
}
