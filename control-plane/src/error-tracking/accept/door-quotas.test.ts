import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Sql } from '../../stores/postgres/connect.ts'
import { createDoorQuotas } from './door-quotas.ts'

const accountId = '01980000-0000-7000-8000-000000000001'

/** A server that answers every statement, but for the first `silent` ones that ask for this. */
const serverThat = (ignores: RegExp, silent: number): Sql => {
  let ignored = 0
  const answer = (strings: readonly string[]): Promise<unknown[]> => {
    const statement = strings.join('?')
    if (ignores.test(statement) && ignored++ < silent) return new Promise(() => undefined)
    const spent = String(tiersDefault.free.errorEventsPerMonth)
    return Promise.resolve(
      statement.includes('from accounts') ? [{ id: accountId, tier: 'free', spent }] : [],
    )
  }
  return answer as unknown as Sql
}

test.each([
  ['account usage', /from accounts/],
  ['quota thresholds', /error_quota_notices/],
])('a hanging query about %s does not stop later queries', async (_, ignores) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const quotas = createDoorQuotas({
    sql: serverThat(ignores, 1),
    tiers: tiersDefault,
    log: pino({ level: 'silent' }),
    now: Date.now,
    onMeasured: () => undefined,
  })
  expect(quotas.isSpent(accountId)).toBe(false)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(quotas.isSpent(accountId)).toBe(true)
  await quotas.close()
})
