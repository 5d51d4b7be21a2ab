import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { insertAccount } from '@probe-mesh/control-plane/accounts/accounts-store'
import { insertCheck } from '@probe-mesh/control-plane/check-record/checks-store'
import type { CheckRecord } from '@probe-mesh/control-plane/check-record/check-record'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/** The id of the n-th check: the same in every process and run, and spread by its hash. */
export const checkIdOf = (n: number): string =>
  `018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

export const createBenchAccount = async (sql: Sql, name: string): Promise<string> => {
  const now = Date.now()
  const id = uuidv7(now)
  await insertAccount(sql, { id, name, tier: 'scale', createdAtMs: now })
  return id
}

/** An http check of all four regions every minute. */
export const aCheck = (id: string, accountId: string): CheckRecord => {
  const now = Date.now()
  return {
    id,
    accountId,
    type: 'http',
    name: 'bench',
    url: 'https://example.com/health?full=1',
    target: null,
    intervalSeconds: 60,
    regions: regionsDefault,
    allRegions: true,
    paused: false,
    private: false,
    assertions: noAssertions,
    config: { type: 'http' },
    revision: 1,
    validFromMs: now,
    createdAtMs: now,
    updatedAtMs: now,
  }
}

/** The checks 0 to `count - 1` of a new account. */
export const createBenchChecks = async (sql: Sql, count: number): Promise<void> => {
  const accountId = await createBenchAccount(sql, 'bench')
  await sql.begin(async (tx) => {
    for (let n = 0; n < count; n++) await insertCheck(tx, aCheck(checkIdOf(n), accountId))
  })
}
