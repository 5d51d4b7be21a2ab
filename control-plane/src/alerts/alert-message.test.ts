import { describe, expect, test } from 'vitest'
import type { Notice } from './alert.ts'
import { composeAlert } from './alert-message.ts'
import { composeDigest } from './digest.ts'
import { openingText } from './incident-text.ts'
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
  if (notice === undefined) throw new Error('there is nothing to tell')
  const check = watchedCheck(verdicts, notice.atMs)
  return composeAlert(notice, check, 'rule', 'https://mesh.example.org').content
}

describe('a message', () => {
  test('says where it fails, where it is well, and what was not measured', () => {
    const { text, facts } = composed(alert, { fra: 'down', iad: 'up', nrt: null, sjc: 'blocked' })
    expect(text).toContain(
      'Failing in fra. Well in iad. Blocked in sjc. Not measured in nrt (no reading yet).',
    )
    expect(facts).toContainEqual({ name: 'Not measured in', value: 'nrt' })
  })

  test('of a heartbeat speaks of no region', () => {
    if (alert === undefined) throw new Error('there is nothing to tell')
    const check = watchedCheck({}, alert.atMs, { type: 'heartbeat', url: null })
    const { text, facts } = composeAlert(alert, check, 'rule', '').content
    expect(text).toBe('Since 2026-11-20T12:00:00Z.')
    expect(facts.map(({ name }) => name)).toEqual(['Check', 'Status', 'Since', 'Rule'])
  })

  test('of a recovery says how long it took, under the key of its alert', () => {
    const told = composed(recovery, { fra: 'up' })
    expect(told.title).toBe('shop has recovered after 2 min')
    expect(told.text).toContain('Operational since 2026-11-20T12:02:00Z, after 2 min.')
    expect(told.alertKey).toBe(composed(alert, { fra: 'down' }).alertKey)
  })

  test('keeps to its lines whatever a target sent as its reason', () => {
    if (alert === undefined) throw new Error('there is nothing to tell')
    const reason = 'got\r\nStatus: operational\u001b[2J'
    const notice = { ...alert, alert: { ...alert.alert, reason } }
    expect(composed(notice, { fra: 'down' }).text.split('\n')[0]).toBe(
      'got Status: operational [2J',
    )
  })
})

describe('a digest', () => {
  const many = (count: number, cause: string, regions: string[]) => {
    if (alert === undefined) throw new Error('there is nothing to tell')
    const check = watchedCheck({}, t0)
    const message = composeAlert(alert, check, 'rule', '')
    return Array.from({ length: count }, (_, index) => ({
      ...message,
      checkName: `${cause}-${index}`,
      cause,
      regions,
    }))
  }

  test('groups by cause and region, the largest first, and names twenty in all', () => {
    const messages = [...many(3, 'timeout', ['iad']), ...many(30, 'refused', ['fra'])]
    const { text, title } = composeDigest(messages, { alertKey: '', publicUrl: '', isOver: false })
    expect(title).toBe('33 checks are down')
    const [head, first, second] = text.split('\n')
    expect(head).toBe('This message holds 33, which came at once.')
    expect(first).toMatch(/^30 down \(refused, seen from fra\): refused-0, .*refused-19, 10 more$/)
    expect(second).toBe('3 down (timeout, seen from iad): 3 more')
  })

  test('says how many causes it leaves out', () => {
    const messages = Array.from({ length: 12 }, (_, index) => many(1, `cause-${index}`, [])).flat()
    const { text } = composeDigest(messages, { alertKey: '', publicUrl: '', isOver: false })
    expect(text.split('\n')).toHaveLength(12)
    expect(text).toContain('2 more causes: 2 checks')
  })
})

test('the title of an incident fits, however long the name of its check is', () => {
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
  const { title, body } = openingText([failure, failure])
  expect(title).toHaveLength(200)
  expect(title).toMatch(/x and 1 more are down$/)
  expect(body).toContain('Since 2026-11-20T12:00:00Z.')
})
