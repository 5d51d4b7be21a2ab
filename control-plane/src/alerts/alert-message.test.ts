import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { describe, expect, test } from 'vitest'
import type { Notice } from './when-to-alert.ts'
import { composeAlert } from './alert-message.ts'
import { composeDigest, type CheckNow } from './digest.ts'
import { openingText } from '../incidents/incident-text.ts'
import { minuteMs, playAlert, t0, watchedCheck } from './testing.ts'

const noticesOf = (atMs: number): Notice[] => {
  const game = playAlert()
  game.flip('down', t0)
  game.look(t0)
  game.flip('operational', atMs)
  return game.notices
}
const [alert, recovery] = noticesOf(t0 + 2 * minuteMs)

const composed = (notice: Notice | undefined, verdicts: Parameters<typeof watchedCheck>[0]) => {
  if (notice === undefined) throw new Error('there is no notice')
  const check = watchedCheck(verdicts, notice.atMs)
  return composeAlert(notice, check, 'rule', 'https://mesh.example.org').content
}

describe('a message', () => {
  test('lists the regions where the check fails, is up, is blocked and was not measured', () => {
    const { text, facts } = composed(alert, { fra: 'down', iad: 'up', nrt: null, sjc: 'blocked' })
    expect(text).toContain('Failing in fra. Up in iad. Blocked in sjc. Not measured in nrt (no reading yet).')
    expect(facts).toContainEqual({ name: 'Not measured in', value: 'nrt' })
  })

  test('about a heartbeat names no region', () => {
    if (alert === undefined) throw new Error('there is no notice')
    const check = watchedCheck({}, alert.atMs, { type: 'heartbeat', url: null })
    const { text, facts } = composeAlert(alert, check, 'rule', '').content
    expect(text).toBe('Since 2026-11-20T12:00:00Z.')
    expect(facts.map(({ name }) => name)).toEqual(['Check', 'Status', 'Since', 'Rule'])
  })

  test.each([
    [0, 'immediately'],
    [60, 'after 1 min, not on shorter problems'],
  ])('says how soon its rule alerts: %i s', (afterSeconds, value) => {
    if (alert === undefined) throw new Error('there is no notice')
    const check = watchedCheck({ fra: 'down' }, t0)
    const { facts } = composeAlert(alert, check, 'rule', '', afterSeconds).content
    expect(facts.at(-1)).toEqual({ name: 'Rule alerts', value })
  })

  test('about a recovery gives the duration under the alertKey of its alert', () => {
    const content = composed(recovery, { fra: 'up' })
    expect(content.title).toBe('shop has recovered after 2 min')
    expect(content.text).toContain('Operational since 2026-11-20T12:02:00Z, after 2 min.')
    expect(content.alertKey).toBe(composed(alert, { fra: 'down' }).alertKey)
  })

  test.each([
    [['down'], 'Was down since'],
    [['degraded'], 'Was degraded since'],
    [['degraded', 'down', 'degraded'], 'Was down since'],
    [['down', 'degraded'], 'Was down since'],
    [['stale'], 'Was unknown since'],
  ] as const)('about a recovery says what it was: %j', (statuses, name) => {
    const game = playAlert({ statuses: ['degraded', 'down', 'stale'] })
    for (const [index, status] of statuses.entries()) {
      game.flip(status, t0 + index * minuteMs)
      game.look(t0 + index * minuteMs)
    }
    game.flip('operational', t0 + 9 * minuteMs)
    const names = composed(game.notices.at(-1), { fra: 'up' }).facts.map((fact) => fact.name)
    expect(names.filter((each) => each.startsWith('Was'))).toEqual([name])
  })

  test('keeps a reason with control characters on one line', () => {
    if (alert === undefined) throw new Error('there is no notice')
    const reason = 'got\r\nStatus: operational\u001b[2J'
    const notice = { ...alert, alert: { ...alert.alert, reason } }
    expect(composed(notice, { fra: 'down' }).text.split('\n')[0]).toBe('got Status: operational [2J')
  })
})

describe('a digest', () => {
  const many = (count: number, cause: string, regions: string[]) => {
    if (alert === undefined) throw new Error('there is no notice')
    const check = watchedCheck({}, t0)
    const message = composeAlert(alert, check, 'rule', '')
    return Array.from({ length: count }, (_, index) => ({
      ...message,
      checkId: `${cause}-${index}`,
      checkName: `${cause}-${index}`,
      cause,
      reason: cause,
      regions,
    }))
  }

  type Digested = Parameters<typeof composeDigest>[0][number]
  const compose = (messages: readonly Digested[], now: Record<string, CheckNow> = {}) =>
    composeDigest(messages, {
      alertKey: '',
      publicUrl: '',
      isOver: false,
      now: new Map([
        ...messages.map(({ checkId }) => [checkId, { status: 'down', sinceMs: t0 }] as const),
        ...Object.entries(now),
      ]),
    })
  /** A message of a check, `seconds` after the start. */
  const message = (name: string, event: 'alert' | 'recovery', seconds: number): Digested => {
    const notice = event === 'alert' ? alert : recovery
    if (notice === undefined) throw new Error('there is no notice')
    const composedOnce = composeAlert(notice, watchedCheck({}, t0), 'rule', '')
    const at = new Date(t0 + seconds * 1_000).toISOString()
    const content = { ...composedOnce.content, at }
    return { ...composedOnce, content, since: at, checkId: name, checkName: name }
  }

  test('groups by cause and region, and names twenty checks with the start of their outage', () => {
    const messages = [...many(30, 'refused', ['fra']), ...many(3, 'timeout', ['iad'])]
    const { text, title } = compose(messages)
    expect(title).toBe('33 checks are down now')
    const [head, first, second] = text.split('\n')
    expect(head).toBe(
      'This message combines 33 notifications of 2026-11-20T12:00:00Z. It lists each check with its current status.',
    )
    expect(first).toMatch(
      /^30 down now \(refused, seen from fra\): refused-0 \(since 2026-11-20T12:00:00Z\), .*refused-19 \(since 2026-11-20T12:00:00Z\), 10 more$/,
    )
    expect(second).toBe('3 down now (timeout, seen from iad): 3 more')
  })

  test('says the whole reason that all checks of a cause have, and else what theirs have in common', () => {
    const of = (reason: string) =>
      many(1, 'over … in two readings', ['fra']).map((one) => ({ ...one, reason }))
    const same = of('over 150 ms in two readings')
    expect(compose(same).text).toContain('1 down now (over 150 ms in two readings, seen from fra): ')
    const other = of('over 90 ms in two readings').map((one) => ({ ...one, checkId: 'other' }))
    expect(compose([...same, ...other]).text).toContain(
      '2 down now (over … in two readings, seen from fra): ',
    )
  })

  test('of a single notification does not say that it combines several', () => {
    expect(compose(many(1, 'refused', ['fra'])).text.split('\n')[0]).toBe(
      'One notification of 2026-11-20T12:00:00Z, with the current status of its check.',
    )
  })

  test('counts the causes that it does not list', () => {
    const messages = Array.from({ length: 12 }, (_, index) => many(1, `cause-${index}`, [])).flat()
    const { text } = compose(messages)
    expect(text.split('\n')).toHaveLength(12)
    expect(text).toContain('2 more causes: 2 checks')
  })

  test('lists each check once, with its state at sending, in order and with times', () => {
    const messages = [
      message('k138', 'recovery', 0),
      message('k135', 'alert', 1),
      message('k136', 'alert', 2),
      message('k135', 'recovery', 10),
      message('k137', 'alert', 12),
      message('k135', 'alert', 20),
      message('k136', 'recovery', 30),
      message('k139', 'alert', 40),
    ]
    const at = (seconds: number) => t0 + seconds * 1_000
    const { title, text, facts } = compose(messages, {
      k135: { status: 'down', sinceMs: at(20) },
      k136: { status: 'operational', sinceMs: at(30) },
      // its recovery message has not arrived yet
      k137: { status: 'operational', sinceMs: at(45) },
      k138: { status: 'operational', sinceMs: at(0) },
      k139: { status: 'degraded', sinceMs: at(41) },
    })
    expect(title).toBe(
      '1 check is down now, 1 check is degraded or without data now, 2 checks failed and recovered, 1 check has recovered',
    )
    expect(text.split('\n').slice(1)).toEqual([
      '1 down now (no reason is known): k135 (since 2026-11-20T12:00:20Z)',
      '1 degraded now (no reason is known): k139 (since 2026-11-20T12:00:40Z)',
      '2 failed and recovered: k136 (2026-11-20T12:00:02Z, for 28 s), k137 (2026-11-20T12:00:12Z, for 33 s)',
      '1 recovered: k138 (2026-11-20T12:00:00Z)',
    ])
    expect(facts.map(({ value }) => value)).toEqual(['1', '1', '2', '1'])
  })

  test('does not report a deleted check as down', () => {
    const options = { alertKey: '', publicUrl: '', isOver: false, now: new Map() }
    const { title } = composeDigest([message('k1', 'alert', 0)], options)
    expect(title).toBe('1 check is deleted')
  })
})

test('the title of an incident stays within its limit with a long check name', () => {
  const failure = {
    statusPageId: '',
    checkId: '',
    displayName: 'x'.repeat(200),
    cause: { host: null, text: '', regions: [] },
    region: 'fra',
    downAtMs: t0,
    reason: null,
    evidence: '',
  }
  const { title, body } = openingText(wordsOf('en'), [failure, failure])
  expect(title).toHaveLength(200)
  expect(title).toMatch(/x and 1 more are down$/)
  expect(body).toContain('Also down: xxx')
  // times are fields of the incident, which each page writes in the zone of its reader
  expect(body).not.toMatch(/\d{4}-\d\d-\d\d/)
})
