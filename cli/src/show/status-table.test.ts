import { expect, test } from 'vitest'
import { sortRows } from './sort-rows.ts'
import { statusTable } from './status-table.ts'
import { nowMs, oneOfEach, plain } from './testing.ts'

const text = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`

const wide = { ...plain, columns: 200 }

test('lists the worst status first and paused checks last, with since, regions and reason', () => {
  expect(text(statusTable(plain, oneOfEach, { nowMs }))).toMatchInlineSnapshot(`
    "
    7 checks: 1 down, 1 degraded, 1 stale, 1 unknown, 2 operational, 1 paused

    STATUS         NAME      SINCE  REGIONS      REASON
    ✗ down         api      17 min  4/4 down     Step 2 (second): expected status 2…
    ◐ degraded     slow        2 h  1/1 up       p95 is 2,310 ms, more than 2,000 ms
    ◌ stale        silent      2 h  1/4 stale    newest reading 15 min ago
    ? unknown      new           -  4/4 unknown  not measured yet
    ● operational  nightly     2 h  -
    ● operational  web         2 h  4/4 up       under maintenance
    ‖ paused       parked        -  -
    "
  `)
})

test('uses the width of a larger terminal', () => {
  expect(text(statusTable(wide, oneOfEach, { nowMs }))).toMatchInlineSnapshot(`
    "
    7 checks: 1 down, 1 degraded, 1 stale, 1 unknown, 2 operational, 1 paused

    STATUS         NAME      SINCE  REGIONS      LATENCY   UPTIME  24 HOURS                  REASON                                             TARGET
    ✗ down         api      17 min  4/4 down      912 ms  40.00 %     ▂▂▂▂▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂▂  Step 2 (second): expected status 200-299, got 500  https://api.example.com/
    ◐ degraded     slow        2 h  1/1 up       84.2 ms  99.99 %     ▂▂▂▂▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂▂  p95 is 2,310 ms, more than 2,000 ms                https://slow.example.com/
    ◌ stale        silent      2 h  1/4 stale    84.2 ms  99.99 %     ▂▂▂▂▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂▂  newest reading 15 min ago                          https://silent.example.com/
    ? unknown      new           -  4/4 unknown        -        -                            not measured yet                                   db.example.com:5432
    ● operational  nightly     2 h  -                  -  99.99 %     ▂▂▂▂▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂▂                                                     -
    ● operational  web         2 h  4/4 up       84.2 ms  99.99 %     ▂▂▂▂▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂▂  under maintenance                                  https://web.example.com/
    ‖ paused       parked        -  -            84.2 ms  99.99 %     ▂▂▂▂▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂▂                                                     https://parked.example.com/
    "
  `)
})

test('the uptime of a check that is younger than a day says of how long', () => {
  const [check] = oneOfEach
  if (check === undefined) throw new Error('there is no row')
  const young = { ...check, createdAt: new Date(nowMs - 7 * 60_000).toISOString() }
  expect(text(statusTable(wide, [young], { nowMs }))).toMatch(/ % of 7 min /)
})

test('keeps status, name and reason at 40 columns', () => {
  expect(text(statusTable({ ...plain, columns: 40 }, oneOfEach, { nowMs }))).toMatchInlineSnapshot(`
    "
    7 checks: 1 down, 1 degraded, 1 stale, 1
    unknown, 2 operational, 1 paused

    STATUS         NAME     REASON
    ✗ down         api      Step 2 (second)…
    ◐ degraded     slow     p95 is 2,310 ms…
    ◌ stale        silent   newest reading …
    ? unknown      new      not measured yet
    ● operational  nightly
    ● operational  web      under maintenan…
    ‖ paused       parked
    "
  `)
})

test('cuts nothing in a pipe, and has each region with --wide', () => {
  const pipe = { ...plain, tableColumns: Number.POSITIVE_INFINITY }
  const whole = 'Step 2 (second): expected status 200-299, got 500'
  const lines = text(statusTable(pipe, oneOfEach, { nowMs }))
  expect(lines).toContain(`${whole}  https://api.example.com/`)
  expect(lines).not.toContain('…')
  expect(text(statusTable(plain, oneOfEach, { nowMs, isWide: true }))).toMatch(
    /iad ✗ down, sjc ✗ down, fra ✗ down, nrt ✗ down .*got 500  https:/,
  )
})

test.each([
  ['name', ['api', 'new', 'nightly', 'parked', 'silent', 'slow', 'web']],
  ['changed', ['api', 'nightly', 'parked', 'silent', 'slow', 'web', 'new']],
  ['latency', ['api', 'parked', 'silent', 'slow', 'web', 'new', 'nightly']],
  ['uptime', ['api', 'nightly', 'parked', 'silent', 'slow', 'web', 'new']],
] as const)('sorts by %s, and what is unknown comes last', (sort, names) => {
  expect(sortRows(oneOfEach, sort).map(({ name }) => name)).toEqual(names)
})
