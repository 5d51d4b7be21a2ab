import { userRequestsPerMinute } from '@probe-mesh/contracts/api/request-pools'
import { expect, test } from 'vitest'
import { createSessionRates } from './session-rates.ts'
import { startTestApp } from '../app/testing/test-app.ts'
import { asUser, cookieOf, loggedIn, logInAs } from '../app/testing/log-in.ts'

test('each user has a budget per minute', () => {
  let nowMs = 0
  const rates = createSessionRates(() => nowMs)
  for (let n = 0; n < userRequestsPerMinute.writes; n++) expect(rates.spend('a', 'writes')).toBe(0)
  expect(rates.spend('a', 'writes')).toBe(60)
  expect(rates.spend('a', 'reads')).toBe(0)
  expect(rates.spend('b', 'writes')).toBe(0)
  nowMs = 60_000
  expect(rates.spend('a', 'writes')).toBe(0)
})

test('the operator scales it', () => {
  const rates = createSessionRates(() => 0, 2)
  const writes = 2 * userRequestsPerMinute.writes
  for (let n = 0; n < writes; n++) expect(rates.spend('a', 'writes')).toBe(0)
  expect(rates.spend('a', 'writes')).toBe(60)
})

test('a new login gives no new budget', async () => {
  const at = await startTestApp()
  try {
    const user = await loggedIn(at)
    at.hold()
    const write = (cookie: string) =>
      asUser(at, { cookie }, 'DELETE', '/checks/0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70')
    for (let n = 0; n < userRequestsPerMinute.writes; n++) {
      expect((await write(user.cookie)).status).toBe(404)
    }
    const again = cookieOf(await logInAs(at, user.email))
    expect(again).not.toBe(user.cookie)
    expect(await write(again)).toMatchObject({ status: 429, json: { code: 'SV-6002' } })
    const other = await loggedIn(at)
    expect((await write(other.cookie)).status).toBe(404)
  } finally {
    await at.close()
  }
})
