import { aCheckRecord } from '@probe-mesh/control-plane/src/checks/testing'
import { evidencePools } from '@probe-mesh/contracts/mesh/evidence-pools'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { keysPerAccountBudget, type requestPools } from '@probe-mesh/contracts/api/request-pools'
import { targetBudget, type targetPools } from '@probe-mesh/contracts/mesh/target-pools'
import { assessMetrics } from '@probe-mesh/control-plane/src/mesh/assess/metrics'
import { createRegionWatch } from '@probe-mesh/control-plane/src/mesh/assess/region-watch'
import {
  startRateLimitTest,
  type RateLimitTest,
} from '@probe-mesh/control-plane/src/accounts/rate-limits/testing'
import {
  manualRunLimit,
  targetLimits,
  exceededLimits,
} from '@probe-mesh/control-plane/src/targets/target-budget'
import { insertAccount, catalogAccountId } from '@probe-mesh/control-plane/accounts/accounts-store'
import { sumRequestRates, countManualRequests } from '@probe-mesh/control-plane/targets/target-counts'
import { insertCheck } from '@probe-mesh/control-plane/src/records/check/checks-store'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'
import type { AssessedCheck } from '@probe-mesh/control-plane/src/status/states-store'
import { newCheckState } from '@probe-mesh/control-plane/src/status/state'
import { readingAt } from '@probe-mesh/control-plane/src/status/testing'
import { Registry } from 'prom-client'
import { expect, onTestFinished } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { testSql } from './database.ts'

const nowMs = Date.parse('2026-11-23T10:00:00Z')
const regions = ['fra', 'iad', 'nrt', 'gru']
const host = 'shop.example.com'

const newAccount = async (): Promise<string> => {
  const id = uuidv7(nowMs)
  await insertAccount(await testSql(), { id, name: 'test', tier: 'free', createdAtMs: nowMs })
  return id
}

/** Creates a check of the host from all regions if the operation's budget allows it. */
const createCheck = async (accountId: string, intervalSeconds: number): Promise<boolean> => {
  const sql = await testSql()
  const [id, perMinute] = [uuidv7(nowMs), (regions.length * 60) / intervalSeconds]
  const rates = [{ kind: 'host', name: host, path: 'url', perMinute }] as const
  const already = await sumRequestRates(sql, rates, { checkIds: [id], accountId })
  const asker = { liveRegions: regions.length, intervalSecondsMin: 60, isFree: true }
  if (exceededLimits(rates, already, targetLimits(targetBudget.hostPerMinute, asker)).length > 0) {
    return false
  }
  const url = `https://${host}/`
  await transact(sql, (tx) =>
    insertCheck(tx, { ...aCheckRecord, id, accountId, url, regions, intervalSeconds }),
  )
  return true
}

const byHand = manualRunLimit(targetBudget.hostPerMinute)
/** Runs within one minute of the database, whose clock the limit uses. */
const runByHand = async (name: string, accountId: string, requests: number): Promise<boolean> =>
  countManualRequests(
    await testSql(),
    numbers(requests).map(() => name),
    accountId,
    byHand,
  )

let names = 0
const newHost = (): string => `host-${++names}.example.com`

const budgetTest = async (): Promise<RateLimitTest> => {
  const at = await startRateLimitTest()
  onTestFinished(() => at.close())
  return at
}
/** Three writes a minute of each key. */
const scale = 0.1
const writesOfKey = 3
/** Spends the budgets of all keys of an account. @returns the allowed writes */
const spendAll = async (at: RateLimitTest, budgets: ReturnType<RateLimitTest['instance']>) => {
  const first = await at.key()
  const others = await Promise.all(
    numbers(keysPerAccountBudget).map((n) => at.anotherKey(first.accountId, `key ${n}`)),
  )
  let allowed = 0
  let refusedByAccount = 0
  for (const key of [first, ...others]) {
    for (const _ of numbers(writesOfKey)) {
      const state = await budgets.spend({ ...key, manyKeys: true }, 'writes')
      if (state.allowed) allowed += 1
      if (state.ofAccount === true) refusedByAccount += 1
    }
  }
  return { allowed, refusedByAccount }
}

const watching = () => {
  const checks = new Map<string, AssessedCheck>()
  const metrics = assessMetrics(new Registry(), { size: () => 0, dirtyCount: () => 0 })
  const watch = createRegionWatch({ find: (id) => checks.get(id), metrics, now: () => nowMs })
  const measure = (accountId: string, name: string): void => {
    const checkId = uuidv7(nowMs)
    checks.set(checkId, {
      checkId,
      accountId,
      name,
      host: name,
      regions: ['fra', 'iad'],
      intervalSeconds: 60,
      state: newCheckState,
    } as AssessedCheck)
    for (const region of ['fra', 'iad']) watch.note({ ...readingAt(region, 'up', nowMs), checkId })
  }
  const refused = async () => (await metrics.evidenceRefused.get()).values[0]?.value
  return { watch, measure, refused }
}

export const targetCases = {
  targetRequests: {
    crowds: [2, 50],
    floor: async (crowd) => {
      await (await testSql())`delete from checks`
      for (const _ of numbers(crowd)) {
        const account = await newAccount()
        // the maximum number of checks with the fastest interval
        for (let most = 200; most > 0 && (await createCheck(account, 5));) most -= 1
      }
      expect(await createCheck(await newAccount(), targetBudget.floorIntervalSeconds)).toBe(true)
    },
    share: async () => {
      await (await testSql())`delete from checks`
      const account = await newAccount()
      let created = 0
      while (created < 200 && (await createCheck(account, 5))) created += 1
      const perCheck = (regions.length * 60) / 5
      const { hostPerMinute, accountShare } = targetBudget
      expect(created).toBe(Math.floor((hostPerMinute * accountShare) / perCheck))
    },
  },
  targetRunsByHand: {
    crowds: [2, 10],
    floor: async (crowd) => {
      const name = newHost()
      for (const _ of numbers(crowd)) {
        const account = await newAccount()
        for (const requests of [byHand.byAccount, byHand.floor]) {
          await runByHand(name, account, requests)
        }
      }
      expect(await runByHand(name, await newAccount(), byHand.floor)).toBe(true)
    },
    share: async () => {
      const [name, account] = [newHost(), await newAccount()]
      expect(await runByHand(name, account, byHand.byAccount)).toBe(true)
      expect(await runByHand(name, account, 1)).toBe(false)
    },
  },
  accountRequests: {
    crowds: [2, 10],
    floor: async (crowd) => {
      const at = await budgetTest()
      const budgets = at.instance({ scale })
      for (const _ of numbers(crowd)) await spendAll(at, budgets)
      const mine = await at.key()
      for (const _ of numbers(writesOfKey)) {
        expect((await budgets.spend(mine, 'writes')).allowed).toBe(true)
      }
    },
    share: async () => {
      const at = await budgetTest()
      expect(await spendAll(at, at.instance({ scale }))).toEqual({
        allowed: keysPerAccountBudget * writesOfKey,
        refusedByAccount: writesOfKey,
      })
    },
  },
  regionEvidence: {
    floor: (crowd) => {
      const { watch, measure } = watching()
      const { hostsOfAccount, catalogHosts } = evidencePools.regionEvidence.limits
      for (const n of numbers(crowd)) {
        for (const at of numbers(hostsOfAccount + 1)) measure(`crowd ${n}`, `h${n}-${at}.example.com`)
      }
      const before = watch.size()
      for (const n of numbers(catalogHosts)) measure(catalogAccountId, `c${n}.example.com`)
      expect(watch.size()).toBe(before + catalogHosts)
    },
    share: async () => {
      const { watch, measure, refused } = watching()
      const { hostsOfAccount } = evidencePools.regionEvidence.limits
      for (const n of numbers(10 * hostsOfAccount)) measure('alone', `h${n}.example.com`)
      expect(watch.size()).toBe(hostsOfAccount)
      expect(await refused()).toBeGreaterThan(0)
    },
  },
} satisfies Partial<
  Record<keyof typeof targetPools | keyof typeof requestPools | keyof typeof evidencePools, FairnessCase>
>
