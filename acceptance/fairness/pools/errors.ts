import { noErrorFilters } from '@probe-mesh/error-tracking/contracts/error-settings'
import { errorPools } from '@probe-mesh/error-tracking/contracts/error-pools'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { createCostBudget } from '@probe-mesh/error-tracking/accept/cost-budget'
import { createErrorIngest } from '@probe-mesh/error-tracking/accept/error-ingest'
import { createEventWindows } from '@probe-mesh/error-tracking/accept/event-windows'
import { createOpener, type Opener } from '@probe-mesh/error-tracking/accept/open/opener'
import { createStreamBacklog } from '@probe-mesh/error-tracking/accept/stream-backlog'
import { sharesOfProject } from '@probe-mesh/error-tracking/events/event-shares'
import { defaultScrubRules } from '@probe-mesh/error-tracking/events/scrub/scrub'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { FairPool } from '@probe-mesh/runtime/fair-pool'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { settleLoop, turnsCase, type Opened } from './turns.ts'

const log = pino({ level: 'silent' })
const text = new TextEncoder()
const eventId = '0123456789abcdef0123456789abcdef'
const envelope = (event: object): Uint8Array =>
  text.encode(
    `{"event_id":"${eventId}","dsn":"https://key@example.com/7"}\n{"type":"event"}\n${JSON.stringify(event)}`,
  )
const smallBody = { body: envelope({ message: 'it broke' }), encoding: undefined }

const opened = (): Opener => {
  const opener = createOpener({ log })
  onTestFinished(() => opener.close())
  return opener
}

/** Bodies that a thread opens. A test cannot hold them, so the order of answers counts. */
const threadCase = (
  bounds: { places: number; placesOfOwner: number; waiting: number; waitingOfOwner: number },
  perform: (opener: Opener, owner: string) => Promise<unknown>,
): FairnessCase => ({
  crowds: [2, 50, bounds.waiting - 1].filter((crowd) => crowd < bounds.waiting),
  floor: async (crowd) => {
    const opener = opened()
    const share = bounds.placesOfOwner + bounds.waitingOfOwner
    const each = Math.min(share, Math.ceil((2 * (bounds.places + bounds.waiting)) / crowd))
    let answered = 0
    const requests = numbers(each).flatMap(() =>
      numbers(crowd).map((n) =>
        perform(opener, `crowd ${n}`).then((answer) => {
          if (answer !== 'busy') answered += 1
        }),
      ),
    )
    const before = answered
    const mine = await perform(opener, 'newcomer')
    expect(mine).not.toBe('busy')
    // those in the thread, and one turn of each other account
    expect(answered - before).toBeLessThanOrEqual(bounds.places + crowd + 1)
    await Promise.all(requests)
  },
  share: async () => {
    const opener = opened()
    const share = bounds.placesOfOwner + bounds.waitingOfOwner
    const answers = await Promise.all(numbers(share + 1).map(() => perform(opener, 'alone')))
    expect(answers.map((answer) => answer === 'busy')).toEqual(numbers(share + 1).map((n) => n === share))
  },
})

const projectOf = new Map<string, string>()
const projectIdOf = (owner: string): string => {
  const known = projectOf.get(owner) ?? uuidv7(Date.now())
  projectOf.set(owner, known)
  return known
}

/** A stream that accepts an event when the test allows it. */
const openIngest = (): Opened => {
  const works = new Map<string, () => Promise<void>>()
  let requests = 0
  let sequence = 0
  let opening: FairPool | null = null
  const pools: PoolMetrics = {
    watch: (name, pool) => {
      if (name === 'errorOpening') opening = pool as FairPool
    },
  } as PoolMetrics
  const left = (): number => (opening?.taken ?? 0) + (opening?.waiting ?? 0)
  const ingest = createErrorIngest({
    sql: {} as Sql,
    checkIns: { take: async () => 'recorded' },
    bus: {
      errors: {
        publish: async ({ data }: { data: Uint8Array }) => {
          const [id = ''] = /work-\d+/.exec(new TextDecoder().decode(data)) ?? []
          await works.get(id)?.()
          sequence += 1
          return { sequence }
        },
      } as never,
    },
    tiers: tiersDefault,
    eventsPerSecond: 1_000_000,
    scale: 1_000,
    registry: new Registry(),
    pools,
    log,
    now: () => 1_700_000_000_000,
  })
  onTestFinished(() => ingest.close())
  return {
    perform: async (owner, hold) => {
      const id = `work-${requests}`
      requests += 1
      works.set(id, hold)
      const key = {
        publicKey: owner,
        projectId: projectIdOf(owner),
        accountId: owner,
        number: '1',
        revoked: false,
        scrub: defaultScrubRules,
        filters: noErrorFilters,
        tier: 'scale' as const,
      }
      const body = { body: envelope({ message: id }), encoding: undefined }
      const answer = await ingest.accept(key, 'envelope', body, `192.0.2.${requests % 200}`)
      return answer.status
    },
    // until the thread has opened its bodies
    settle: async () => {
      do await settleLoop()
      while (left() > 0)
      await settleLoop()
    },
  }
}

const { limits } = errorPools.errorEvents
const quota = 1_000_000

const budgets = () => {
  let nowMs = 1_700_000_000_000
  const now = (): number => nowMs
  return {
    costs: createCostBudget({ now }),
    windows: createEventWindows({ now, scale: 1 }),
    pass: (ms: number) => (nowMs += ms),
  }
}

export const errorCases = {
  errorOpening: threadCase(errorPools.errorOpening.bounds, (opener, owner) =>
    opener.open(owner, {
      ...smallBody,
      kind: 'envelope',
      project: { projectId: projectIdOf(owner), scrub: defaultScrubRules, filters: noErrorFilters },
      countsOnly: false,
      receivedAt: 1_700_000_000_000,
    }),
  ),
  errorAnonymous: threadCase(errorPools.errorAnonymous.bounds, (opener, owner) =>
    opener.dsnOf(owner, smallBody),
  ),
  errorCost: {
    floor: (crowd) => {
      const { costs } = budgets()
      const all = { bytes: 1_000_000_000, threadMs: 1_000_000 }
      for (const n of numbers(crowd)) costs.spend(`crowd ${n}`, '192.0.2.1', all)
      expect(costs.waitMs('newcomer', '192.0.2.1')).toBe(0)
    },
    share: () => {
      const { costs, pass } = budgets()
      const { bytes, threadMs } = errorPools.errorCost.limits
      const quarter = { bytes: bytes.burst / 4, threadMs: 0 }
      for (const n of numbers(4)) {
        expect(costs.waitMs('alone', `192.0.2.${n}`)).toBe(0)
        costs.spend('alone', `192.0.2.${n}`, quarter)
        expect(costs.waitMs('alone', `192.0.2.${n}`)).toBeGreaterThan(0)
      }
      expect(costs.waitMs('alone', '192.0.2.100')).toBeGreaterThan(0)
      pass(1_000)
      expect(costs.waitMs('alone', '192.0.2.100')).toBe(0)
      costs.spend('other', '192.0.2.1', { bytes: 0, threadMs: threadMs.burst / 4 })
      expect(costs.waitMs('other', '192.0.2.1')).toBeGreaterThan(0)
    },
  },
  errorEvents: {
    floor: (crowd) => {
      const { windows } = budgets()
      const most = sharesOfProject(quota).minute + 1
      const requests = Math.min(most, Math.ceil(200_000 / crowd))
      for (const n of numbers(crowd)) {
        for (const at of numbers(requests)) {
          windows.spend({ projectId: `crowd ${n}`, network: `192.0.2.${at % 8}`, quota })
        }
      }
      for (const at of numbers(limits.minute.min)) {
        const network = `192.0.2.${at % 8}`
        expect(windows.spend({ projectId: 'newcomer', network, quota })).toBe(0)
      }
    },
    share: () => {
      const { windows, pass } = budgets()
      const { minute, day } = sharesOfProject(quota)
      expect([minute, day]).toEqual([quota * limits.minute.ofMonth, quota * limits.day.ofMonth])
      const spend = (at: number) => windows.spend({ projectId: 'alone', network: `192.0.2.${at % 8}`, quota })
      const spendMinute = (): number[] => numbers(minute).filter((at) => spend(at) === 0)
      expect(spendMinute()).toHaveLength(minute)
      expect(spend(0)).toBeGreaterThan(0)
      for (const _ of numbers(day / minute - 1)) {
        pass(60_000)
        expect(spendMinute()).toHaveLength(minute)
      }
      pass(60_000)
      expect(spend(0)).toBeGreaterThan(60_000)
    },
  },
  errorBacklog: {
    floor: (crowd) => {
      const backlog = createStreamBacklog()
      const { bytes } = errorPools.errorBacklog.limits
      for (const n of numbers(crowd)) {
        backlog.add(`crowd ${n}`, { partition: 1, sequence: n, bytes })
        expect(backlog.isFull(`crowd ${n}`)).toBe(true)
      }
      expect(backlog.isFull('newcomer')).toBe(false)
    },
    share: () => {
      const backlog = createStreamBacklog()
      const { messages } = errorPools.errorBacklog.limits
      for (const n of numbers(messages)) {
        expect(backlog.isFull('alone')).toBe(false)
        backlog.add('alone', { partition: 1, sequence: n, bytes: 1 })
      }
      expect(backlog.isFull('alone')).toBe(true)
      backlog.counted(1, messages)
      expect(backlog.isFull('alone')).toBe(false)
    },
  },
  errorPublishing: turnsCase({
    pool: errorPools.errorPublishing,
    crowds: [2, 50, errorPools.errorPublishing.bounds.waiting - 1],
    open: openIngest,
    isTimeReal: true,
    refused: 429,
  }),
} satisfies Partial<Record<keyof typeof errorPools, FairnessCase>>
