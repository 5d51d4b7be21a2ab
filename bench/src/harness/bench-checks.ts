import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { createKey } from '@probe-mesh/control-plane/accounts/keys'
import { insertAccount } from '@probe-mesh/control-plane/accounts/accounts-store'
import { insertCheck } from '@probe-mesh/control-plane/src/records/check/checks-store'
import type { CheckRecord } from '@probe-mesh/control-plane/src/records/check/check-record'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { checkIdOf } from './bench-ids.ts'

export const createBenchAccount = async (sql: Sql, name: string): Promise<string> => {
  const now = Date.now()
  const id = uuidv7(now)
  await insertAccount(sql, { id, name, tier: 'scale', createdAtMs: now })
  return id
}

/** @returns a new API key of the account */
export const createBenchKey = async (
  sql: Sql,
  accountId: string,
  scope: 'read' | 'read_write' = 'read',
): Promise<string> => {
  const made = await createKey({ sql, now: Date.now }, { accountId, name: 'bench', scope })
  if (isRefusal(made)) throw new Error(made.message)
  return made.apiKey
}

/** An http check every minute from all four regions. */
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
    tags: [],
    private: false,
    assertions: noAssertions,
    config: { type: 'http' },
    revision: 1,
    validFromMs: now,
    createdAtMs: now,
    updatedAtMs: now,
  }
}

/** Creates the checks 0 to `count - 1` of a new account. */
export const createBenchChecks = async (sql: Sql, count: number): Promise<void> => {
  const accountId = await createBenchAccount(sql, 'bench')
  await sql.begin(async (tx) => {
    for (let n = 0; n < count; n++) await insertCheck(tx, aCheck(checkIdOf(n), accountId))
  })
}
