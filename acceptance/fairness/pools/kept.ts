import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { relayBudgetOf } from '@probe-mesh/contracts/agent/relay-budget'
import type { relayPools } from '@probe-mesh/contracts/agent/relay-pools'
import { endedDeliveryBounds, outboxBounds, poisonBounds } from '@probe-mesh/contracts/reading/set-aside'
import { insertAccount } from '@probe-mesh/control-plane/accounts/accounts-store'
import { spendRelayBudget } from '@probe-mesh/control-plane/src/mesh/relay/agent-budgets'
import {
  boundEndedDeliveries,
  boundOutbox,
  prunePoison,
} from '@probe-mesh/control-plane/src/app/purge/prune-set-aside-store'
import { toPoison } from '@probe-mesh/control-plane/src/readings/poison'
import { createPoisonShare } from '@probe-mesh/control-plane/src/readings/poison-share'
import { expect } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { testSql } from './database.ts'

const nowMs = Date.parse('2026-11-23T10:00:00Z')
const now = new Date(nowMs)

const newAccount = async (): Promise<string> => {
  const id = uuidv7(nowMs)
  await insertAccount(await testSql(), { id, name: 'test', tier: 'scale', createdAtMs: nowMs })
  return id
}
const newAgent = async (): Promise<string> => {
  const [sql, id, accountId] = [await testSql(), uuidv7(nowMs), await newAccount()]
  await sql`
    insert into private_agents (id, account_id, name, token_hash, hint, created_at)
    values (${id}, ${accountId}, 'office', ${Buffer.from(id)}, '', ${now})`
  return id
}
const budget = relayBudgetOf([])
const spend = async (agentId: string, readings: number) =>
  spendRelayBudget(await testSql(), agentId, { budget, cost: { readings, bytes: 1 }, nowMs })

const shareOfPoison = () =>
  createPoisonShare({ now: () => nowMs, onKept: () => undefined, onDropped: () => undefined })
const message = { partition: 1, sequence: 1, data: new Uint8Array(), storedAt: 0 }
const poisonOf = (owner: string, count: number) =>
  numbers(count).map(() => toPoison(message, { owner, reason: 'test', payload: new Uint8Array(1) }, nowMs))

const insertPoison = async (owner: string, count: number, ageMs = 0): Promise<void> => {
  const sql = await testSql()
  await sql`
    insert into poison_messages (id, partition, sequence, owner, reason, payload, received_at)
    select gen_random_uuid(), 0, n, ${owner}, 'test', 'x'::bytea, ${new Date(nowMs - ageMs)}
    from generate_series(1, ${count}::integer) as n`
}
const insertOutbox = async (owner: string, count: number): Promise<void> => {
  const sql = await testSql()
  await sql`
    insert into outbox (id, kind, payload, created_at, next_attempt_at)
    select gen_random_uuid(), 'alert', ${sql.json({ accountId: owner })}, ${now}, ${now}
    from generate_series(1, ${count}::integer)`
}
const insertEnded = async (account: string, count: number): Promise<void> => {
  const sql = await testSql()
  await sql`
    insert into deliveries (id, account_id, kind, recipient, cause, message, state, next_attempt_at,
      expires_at, created_at)
    select gen_random_uuid(), ${account}, 'mail', 'a@example.com', gen_random_uuid()::text, '{}',
      'dead', ${now}, ${now}, ${now}
    from generate_series(1, ${count}::integer)`
}
const keptOf = {
  poison: async (owner: string): Promise<number> =>
    (await (await testSql())`select from poison_messages where owner = ${owner}`).length,
  outbox: async (owner: string): Promise<number> =>
    (await (await testSql())`select from outbox where payload ->> 'accountId' = ${owner}`).length,
  ended: async (account: string): Promise<number> =>
    (await (await testSql())`select from deliveries where account_id = ${account}`).length,
}

/** Small bounds that few accounts can fill, with the same rule. */
const few = { rows: 20, bytes: 1_000_000 }
const allOf = (crowd: number) => ({ rows: (few.rows * crowd) / 2, bytes: 1_000_000_000 })

export const relayCases = {
  relayReadings: {
    crowds: [2, 50],
    floor: async (crowd) => {
      for (const _ of numbers(crowd)) {
        const agent = await newAgent()
        expect(await spend(agent, budget.most.readings)).toBeNull()
        expect(await spend(agent, 1)).not.toBeNull()
      }
      expect(await spend(await newAgent(), budget.most.readings)).toBeNull()
    },
    share: async () => {
      const agent = await newAgent()
      expect(await spend(agent, budget.most.readings)).toBeNull()
      expect(await spend(agent, 1)).toMatchObject({ readings: 0 })
    },
  },
  poison: {
    floor: (crowd) => {
      const share = shareOfPoison()
      const { ownerPerMinute, floorPerMinute } = poisonBounds
      for (const n of numbers(crowd)) share.keep(poisonOf(`crowd-${n}`, ownerPerMinute.rows + 1))
      const mine = share.keep(poisonOf('newcomer', floorPerMinute.rows))
      expect(mine).toHaveLength(floorPerMinute.rows)
    },
    share: () => {
      const { rows } = poisonBounds.ownerPerMinute
      expect(shareOfPoison().keep(poisonOf('alone', rows + 5))).toHaveLength(rows)
    },
  },
  poisonKept: {
    crowds: [2, 50],
    floor: async (crowd) => {
      const sql = await testSql()
      await sql`delete from poison_messages`
      for (const n of numbers(crowd)) await insertPoison(`crowd-${n}`, few.rows + 1)
      await insertPoison('newcomer', 3, 60_000)
      await prunePoison(sql, nowMs, { ...poisonBounds, owner: few, all: allOf(crowd) })
      expect(await keptOf.poison('newcomer')).toBe(3)
    },
    share: async () => {
      await insertPoison('alone', poisonBounds.owner.rows + 2)
      await prunePoison(await testSql(), nowMs, poisonBounds)
      expect(await keptOf.poison('alone')).toBe(poisonBounds.owner.rows)
    },
  },
  outboxKept: {
    crowds: [2],
    floor: async (crowd) => {
      const sql = await testSql()
      await sql`delete from outbox`
      await insertOutbox('newcomer', 3)
      for (const n of numbers(crowd)) await insertOutbox(`crowd ${n}`, outboxBounds.ownerRows + 1)
      await boundOutbox(sql, nowMs)
      expect(await keptOf.outbox('newcomer')).toBe(3)
    },
    share: async () => {
      const sql = await testSql()
      await insertOutbox('alone', outboxBounds.ownerRows + 2)
      await boundOutbox(sql, nowMs)
      expect(await keptOf.outbox('alone')).toBe(outboxBounds.ownerRows)
    },
  },
  endedDeliveriesKept: {
    crowds: [2, 50],
    floor: async (crowd) => {
      const sql = await testSql()
      await sql`delete from deliveries`
      const mine = await newAccount()
      await insertEnded(mine, 3)
      for (const _ of numbers(crowd)) await insertEnded(await newAccount(), few.rows + 1)
      await boundEndedDeliveries(sql, { ownerRows: few.rows, allRows: allOf(crowd).rows })
      expect(await keptOf.ended(mine)).toBe(3)
    },
    share: async () => {
      const account = await newAccount()
      await insertEnded(account, endedDeliveryBounds.ownerRows + 2)
      await boundEndedDeliveries(await testSql())
      expect(await keptOf.ended(account)).toBe(endedDeliveryBounds.ownerRows)
    },
  },
} satisfies Partial<Record<keyof typeof relayPools, FairnessCase>>
