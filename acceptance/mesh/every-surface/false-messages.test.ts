import { expect, test } from 'vitest'
import { falseMessages, type Change, type Told } from './false-messages.ts'

const changes: Change[] = [
  { check: 'web', to: 'operational', atMs: 0 },
  { check: 'api', to: 'operational', atMs: 0 },
  { check: 'web', to: 'down', atMs: 100_000 },
  { check: 'api', to: 'degraded', atMs: 100_000 },
  { check: 'web', to: 'operational', atMs: 200_000 },
  { check: 'api', to: 'operational', atMs: 200_000 },
]
const told = (title: string, atMs: number, text = ''): Told => ({
  id: `${title} ${atMs}`,
  receiver: 'ops',
  atMs,
  title,
  text,
})
const down = told('web is down', 103_000)
const back = told('web has recovered after 1 min 40 s', 203_000)
const digest = (lines: string, atMs = 103_000): Told => told('some are down now', atMs, lines)

test('messages that say what was so, once, are true', () => {
  const lines =
    '1 down now (no, seen from fra, iad): web (since 10:00 UTC, 30 Nov)\n1 degraded now (no): api (since 10:00 UTC, 30 Nov)'
  const over = digest('2 recovered: web (10:00 UTC, 30 Nov, for 1 min), api (10:00 UTC, 30 Nov)', 203_000)
  expect(falseMessages([down, down, back], changes)).toEqual([])
  expect(falseMessages([digest(lines), over], changes)).toEqual([])
})

test('an outage that lasts over a pause is told once more', () => {
  const paused: Change[] = [
    ...changes.slice(0, 3),
    { check: 'web', to: 'paused', atMs: 120_000 },
    { check: 'web', to: 'down', atMs: 140_000 },
  ]
  const again = told('web is down', 143_000)
  expect(falseMessages([down, again], paused)).toEqual([])
  expect(falseMessages([down, again, { ...again, id: 'third' }], paused)).toHaveLength(1)
})

test.each([
  ['what is over', [told('web is down', 250_000)], 'web was not down then'],
  ['what is not over', [told('web has recovered after 9 s', 150_000)], 'web was not operational then'],
  ['another status', [told('api is down', 103_000)], 'api was not down then'],
  ['another status in a digest', [digest('1 down now (no): api (since 10:00)')], 'api was not down then'],
  ['a wrong count', [digest('3 down now (no): web (since 10:00)')], 'counts wrongly'],
  [
    'the same twice',
    [down, told('web is down, not operational for 9 s', 140_000)],
    'reads twice that web is down',
  ],
  ['an end twice', [back, { ...back, id: 'another' }], 'reads twice that web is operational'],
  ['another text under one id', [down, { ...down, text: 'more' }], 'under the same id'],
] as const)('%s is found', (_, messages, line) => {
  expect(falseMessages(messages, changes).join('\n')).toContain(line)
})
