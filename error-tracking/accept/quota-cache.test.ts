import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { createQuotaCache } from './quota-cache.ts'

const accountId = '01980000-0000-7000-8000-000000000001'

/** A database that answers all statements except the first `silent` ones that match `ignores`. */
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
  const quotas = createQuotaCache({
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
