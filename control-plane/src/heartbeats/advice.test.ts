import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { adviceOf, type PingedHeartbeat } from './advice.ts'
import { minuteMs, settingsOf } from './testing.ts'

const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A Monday, 00:00 UTC. */
const beginMs = Date.UTC(2026, 0, 5)

const heartbeat = (more: Partial<PingedHeartbeat> = {}): PingedHeartbeat => ({
  settings: settingsOf({ periodSeconds: 3_600, graceSeconds: 300 }),
  validFromMs: beginMs,
  lastPingAtMs: null,
  startsMs: [],
  ...more,
})
const pinged = (gaps: readonly number[], more: Partial<PingedHeartbeat> = {}): PingedHeartbeat => {
  const startsMs = [beginMs]
  for (const gap of gaps) startsMs.push((startsMs.at(-1) ?? 0) + gap)
  return heartbeat({ lastPingAtMs: startsMs.at(-1) ?? null, startsMs, ...more })
}
const at = (one: PingedHeartbeat): number => one.startsMs.at(-1) ?? beginMs

test('never pinged: told an hour after its first ping and the grace are over, not before', () => {
  const dueMs = beginMs + hourMs + 5 * minuteMs + hourMs
  expect(adviceOf(heartbeat(), [], dueMs - 1)).toBeNull()
  expect(adviceOf(heartbeat(), [], dueMs)).toEqual({ kind: 'never_pinged' })
  expect(adviceOf(pinged([hourMs]), [], dueMs)).toBeNull()
})

test('never pinged: a time when no ping could be received does not count', () => {
  const outage = { fromMs: beginMs + minuteMs, toMs: beginMs + 2 * hourMs }
  const dueMs = outage.toMs + 2 * hourMs + 5 * minuteMs
  expect(adviceOf(heartbeat(), [outage], dueMs - 1)).toBeNull()
  expect(adviceOf(heartbeat(), [outage], dueMs)).toEqual({ kind: 'never_pinged' })
})

test.each<[string, number[], ReturnType<typeof adviceOf>]>([
  ['as declared', Array(5).fill(hourMs), null],
  ['a little late, within its grace', Array(5).fill(hourMs + 5 * minuteMs), null],
  ['every five minutes', Array(5).fill(5 * minuteMs), { kind: 'more_often', gapMs: 5 * minuteMs }],
  ['every 30 minutes, half of the period', Array(5).fill(30 * minuteMs), null],
  ['once a day', Array(5).fill(dayMs), { kind: 'less_often', gapMs: dayMs }],
  ['four gaps only', Array(4).fill(5 * minuteMs), null],
  ['one of five as declared', [5, 5, 60, 5, 5].map((m) => m * minuteMs), null],
  [
    'as declared before, and often since',
    [60, 60, 5, 5, 5, 5, 5].map((m) => m * minuteMs),
    { kind: 'more_often', gapMs: 5 * minuteMs },
  ],
  ['every three days: five gaps are more than 14 days', Array(5).fill(3 * dayMs), null],
])('pings %s', (_, gaps, advice) => {
  const one = pinged(gaps)
  expect(adviceOf(one, [], at(one))).toEqual(advice)
})

test('gaps before the settings changed, or over an outage, prove nothing', () => {
  const often = pinged(Array(5).fill(5 * minuteMs))
  expect(adviceOf({ ...often, validFromMs: beginMs + 1 }, [], at(often))).toBeNull()
  const rare = pinged(Array(5).fill(dayMs))
  expect(adviceOf(rare, [{ fromMs: beginMs, toMs: beginMs + minuteMs }], at(rare))).toBeNull()
})

test('a schedule: working days at nine', () => {
  const settings = settingsOf({ periodSeconds: null, cron: '0 9 * * 1-5', graceSeconds: 600 })
  const nine = Array.from({ length: 8 }, (_, day) => beginMs + day * dayMs + 9 * hourMs).filter(
    (ms) => ![0, 6].includes(new Date(ms).getUTCDay()),
  )
  const one = heartbeat({ settings, lastPingAtMs: 1, startsMs: nine })
  expect(adviceOf(one, [], nine.at(-1) ?? 0)).toBeNull()
  const hourly = Array.from({ length: 6 }, (_, hour) => beginMs + hour * hourMs)
  expect(adviceOf({ ...one, startsMs: hourly }, [], hourly.at(-1) ?? 0)).toEqual({
    kind: 'more_often',
    gapMs: hourMs,
  })
})

test('a job that keeps its period within the grace is never advised on', () => {
  const period = fc.integer({ min: 60, max: 86_400 })
  const late = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 30 })
  forAll([period, period, late], (periodSeconds, graceSeconds, lateness) => {
    const settings = settingsOf({ periodSeconds, graceSeconds })
    const gaps = lateness.map((part) => (periodSeconds + part * graceSeconds) * 1_000)
    const one = pinged(gaps, { settings })
    expect(adviceOf(one, [], at(one))).toBeNull()
  })
})
