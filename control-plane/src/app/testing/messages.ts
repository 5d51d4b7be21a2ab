import { composeAlert } from '../../alerts/alert-message.ts'
import { composeDigest } from '../../alerts/digest.ts'
import { playAlert, t0, minuteMs, watchedCheck } from '../../alerts/testing.ts'
import { composeNotice } from '../alerting/notify-operator.ts'
import { composeExpiry } from '../../checks/expiry/expiry-message.ts'
import { composeErrorMessage } from '@probe-mesh/error-tracking/alert/error-message'
import { composeBurn } from '../../objectives/burn-message.ts'
import { describeBurns, errorBudget } from '../../objectives/error-budget.ts'
import type { ChannelMessage } from '../../notifications/channels/forms/message.ts'

const publicUrl = 'https://mesh.example.org'

/** Quotes, line breaks and the control characters of HTML, Markdown, Slack and Google Chat. */
export const hostileText = `"'\\ <b>x</b> <!channel> <https://evil.example|y> &amp; [z](https://evil.example) *b* _i_ ~s~ \`c\` # @everyone <users/all>`

/**
 * A message of every kind that the product composes, by its name.
 * @param name of the check, the project and the rule
 * @param reason of the outage
 */
export const everyMessage = (name: string, reason: string): Readonly<Record<string, ChannelMessage>> => {
  const game = playAlert()
  game.flip('down', t0)
  game.look(t0)
  game.look(t0 + 61 * minuteMs)
  game.act({ kind: 'acknowledge' }, t0 + 62 * minuteMs)
  game.flip('operational', t0 + 90 * minuteMs)
  game.flip('down', t0 + 95 * minuteMs)
  game.look(t0 + 95 * minuteMs)
  game.act({ kind: 'resolve' }, t0 + 96 * minuteMs)
  const compose = (event: string, more: Parameters<typeof watchedCheck>[2] = {}) => {
    const notice = game.notices.find((each) => each.event === event)
    if (notice === undefined) throw new Error(`there is no ${event}`)
    const check = watchedCheck({ fra: 'down', iad: 'up', nrt: null }, notice.atMs, { name, ...more })
    return composeAlert({ ...notice, alert: { ...notice.alert, reason } }, check, name, publicUrl, 60)
  }
  const ofChecks = ['alert', 'recovery'].map((event) => ({ ...compose(event), checkId: 'c' }))
  const digest = { alertKey: 'digest:channel:1', publicUrl, now: new Map() }
  const expiring = { kind: 'certificate', names: [name], nameCount: 1, by: name, seenAtMs: t0 } as const
  const checks = [{ id: 'c', name, url: 'https://shop.example.org/', target: null }]
  const by = { ruleName: name, publicUrl, nowMs: t0 }
  const subject = {
    projectId: 'p',
    projectName: name,
    issue: { id: 'i', title: reason, culprit: reason, firstSeenMs: t0 },
  }
  const fault = { region: 'fra', what: 'network', text: reason, sinceMs: t0, goneSinceMs: null } as const
  const notice = { ...fault, regions: ['fra'] }
  const counts = { up: 80, down: 20, share: 0.75 }
  const state = {
    at: '',
    checks: 1,
    judged: 100,
    failed: 20,
    judgedSince: null,
    measuredShare: counts.share,
    ...errorBudget({ target: 99, windowDays: 30 }, counts),
    ...describeBurns(
      { target: 99, windowDays: 30 },
      { '5m': counts, '30m': counts, '1h': counts, '6h': counts, '3d': counts },
    ),
    burnMeasuredShares: { '5m': 1, '30m': 1, '1h': 1, '6h': 1, '3d': 1 },
  }
  const burn = (event: 'begin' | 'end') => {
    const objective = {
      id: 'o',
      name,
      target: 99,
      windowDays: 30,
      checkName: name,
      tag: null,
      latencyMsMax: 500,
    } as const
    const pair = {
      rate: 14.4,
      long: '1h',
      short: '5m',
      budgetShare: 0.02,
      spending: event === 'begin',
      reachable: true,
    } as const
    return composeBurn({ event, pair, sinceMs: t0 }, objective, state, by)
  }
  return {
    fire: compose('alert').content,
    remind: compose('reminder').content,
    acknowledge: compose('acknowledged').content,
    'end of messages': compose('resolved').content,
    resolve: compose('recovery').content,
    heartbeat: compose('alert', { type: 'heartbeat', url: null }).content,
    digest: composeDigest(ofChecks.slice(0, 1), {
      ...digest,
      isOver: false,
      now: new Map([['c', { status: 'down', sinceMs: t0 }]]),
    }),
    'digest that is over': composeDigest(ofChecks, { ...digest, isOver: true }),
    'certificate expires': composeExpiry(
      { event: 'expiring', expiring: { ...expiring, expiresAtMs: t0 + 86_400_000 }, checks },
      by,
    ),
    'certificate renewed': composeExpiry(
      { event: 'renewed', expiring: { ...expiring, expiresAtMs: t0 + 86_400_000 }, checks },
      by,
    ),
    'error issue': composeErrorMessage({ kind: 'new_issue' }, subject, { atMs: t0 }, by),
    'end of an error spike': composeErrorMessage(
      { kind: 'spike' },
      subject,
      { atMs: t0, lastedMs: 60_000 },
      by,
    ),
    'burn of an objective': burn('begin'),
    'end of a burn': burn('end'),
    'notice of the mesh': composeNotice(notice, 'alert', { publicUrl, nowMs: t0 }),
    test: {
      event: 'test',
      title: `Test of ${name}`,
      text: 'This is a test message.',
      facts: [{ name: 'Channel', value: name }],
      url: publicUrl,
      at: new Date(t0).toISOString(),
      alertKey: 'test-1',
    },
  }
}
