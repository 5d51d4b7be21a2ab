import { expect, test } from 'vitest'
import { quotaMail } from './quota-mail.ts'
import { reachedPercents } from './quota.ts'

test.each([
  [0, 5_000, []],
  [3_999, 5_000, []],
  [4_000, 5_000, [80]],
  [4_999, 5_000, [80]],
  [5_000, 5_000, [80, 100]],
  [9_000, 5_000, [80, 100]],
  // 80 % of 7 is 5.6
  [5, 7, []],
  [6, 7, [80]],
  [0, 0, [80, 100]],
])('%i of %i events reach the thresholds %j', (spent, quota, percents) => {
  expect(reachedPercents(spent, quota)).toEqual(percents)
})

const nowMs = Date.parse('2026-12-20T10:00:30Z')
const reached = { accountId: 'a', month: '2026-12-01', spent: 4_000, quota: 5_000 }

test('a quota mail has the count, its time, the consequence and the reset time', () => {
  const mail = quotaMail({ ...reached, percent: 80 }, { publicUrl: 'https://probe.example.org', nowMs })
  expect(mail.subject).toBe('80 % of the monthly error event quota is used')
  for (const text of [
    '4,000 of the 5,000',
    'as of 2026-12-20 10:00 UTC',
    'counted as dropped until 2027-01-01 00:00 UTC',
    'https://probe.example.org/dashboard/errors',
  ]) {
    expect(mail.text).toContain(text)
    expect(mail.html).toContain(text)
  }
})

test('the 100 % mail announces drops and has no link without a public URL', () => {
  const mail = quotaMail({ ...reached, percent: 100 }, { publicUrl: null, nowMs })
  expect(mail.subject).toBe('The monthly error event quota is used up')
  expect(mail.text).toContain('New events are counted as dropped')
  expect(mail.html).not.toContain('href')
})
