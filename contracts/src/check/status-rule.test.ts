import { expect, test } from 'vitest'
import { defaultStatusRule, StatusRule, statusRuleProblems, statusRuleText } from './status-rule.ts'

test.each([
  [{}, 4, 'Down when most of 4 regions fail at one time.'],
  [{ failingRegions: 'any', failures: 2 }, 4, 'Down when any of 4 regions fails in 2 slots in a row.'],
  [{ failingRegions: 1, failures: 1 }, 3, 'Down when any of 3 regions fails once.'],
  [{ failingRegions: 'all' }, 4, 'Down when all of 4 regions fail at one time.'],
  [
    { failingRegions: 2, failures: 3 },
    4,
    'Down when 2 of 4 regions fail at one time, each in 3 slots in a row.',
  ],
  [{ failingRegions: 3 }, 2, 'Down when 2 of 2 regions fail at one time.'],
  [
    { failingRegions: 'all', slowMs: 1500 },
    1,
    'Down when its region fails. Degraded when its last two readings took longer than 1,500 ms.',
  ],
  [
    { slowMs: 500 },
    4,
    'Down when most of 4 regions fail at one time. Degraded when the last two readings of most regions that are up took longer than 500 ms.',
  ],
] as const)('%j in %i regions: %s', (rule, regions, text) => {
  expect(statusRuleText({ ...defaultStatusRule, ...rule }, regions)).toBe(text)
})

test('a rule needs no more regions than a check has', () => {
  const three = { ...defaultStatusRule, failingRegions: 3 }
  const attemptMs = null
  expect(statusRuleProblems(three, { regions: 3, attemptMs })).toEqual([])
  expect(statusRuleProblems(three, { regions: 2, attemptMs })).toMatchObject([{ path: 'failingRegions' }])
  expect(statusRuleProblems({ ...three, failingRegions: 'all' }, { regions: 1, attemptMs })).toEqual([])
})

test('a latency limit is below the timeout of a probe, and all problems are told at once', () => {
  const rule = { ...defaultStatusRule, failingRegions: 3, slowMs: 10_000 }
  expect(statusRuleProblems(rule, { regions: 2, attemptMs: 10_000 })).toEqual([
    { path: 'failingRegions', message: 'this check has 2 regions: name at most 2, or all' },
    { path: 'slowMs', message: 'a probe of this check ends after 10,000 ms, so none is slower: name less' },
  ])
  expect(statusRuleProblems(rule, { regions: 3, attemptMs: 10_001 })).toEqual([])
})

test('an absent field has its default, and what is out of range is refused', () => {
  expect(StatusRule.parse({})).toEqual(defaultStatusRule)
  for (const wrong of [
    { failingRegions: 0 },
    { failingRegions: 11 },
    { failingRegions: 'most' },
    { failures: 0 },
    { failures: 11 },
    { failures: 1.5 },
    { slowMs: 0 },
    { slowMs: 60_001 },
    { other: 1 },
  ]) {
    expect(StatusRule.safeParse(wrong).success).toBe(false)
  }
})
