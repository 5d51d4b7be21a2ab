import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import type { RateLimitState } from './key-rate-limiter.ts'
import type { QuotaOwner } from './quota-counter.ts'
import { startRateLimitTest, type TestInstance } from './testing.ts'

const at = useOnce(() => startRateLimitTest())

const windowMs = 60_000
const quotas = { reads: 120, writes: 30 } as const

/** Uses up the writes of a key. */
const useUp = async (instance: TestInstance, owner: QuotaOwner): Promise<void> => {
  for (let n = 0; n < quotas.writes; n++) await instance.spend(owner, 'writes')
}

const duePromises = async ({ keyId }: QuotaOwner): Promise<number> => {
  const [row] = await at.sql<{ due: number }[]>`
    select count(*)::integer as due from budgets cross join lateral unnest(promises)
    where key_id = ${keyId} and budget = 'writes' and free_at <= ${at.now()} and told_at > ${at.now()}`
  return row?.due ?? 0
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      who: fc.nat(2),
      calls: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 30, max: 130 })),
      budget: fc.constantFrom('reads' as const, 'writes' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      // a caller of a quota that is used up waits for a window, or just less
      ms: fc.oneof(
        fc.nat(400),
        fc.nat(5_000),
        fc.integer({ min: 20_000, max: 59_000 }),
        fc.integer({ min: 59_000, max: 60_100 }),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const), who: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), who: fc.nat(2) }) },
)

test('no minute exceeds the quota over three instances, with any clocks and crashes', async () => {
  await forAllAsync(
    [
      fc.array(step, { minLength: 10, maxLength: 45 }),
      fc.array(fc.integer({ min: -90_000, max: 90_000 }), { minLength: 3, maxLength: 3 }),
    ],
    { numRuns: 15 },
    async (steps, skews) => {
      const owner = await at.key()
      const instances = skews.map((skewMs) => at.instance({ skewMs }))
      const admitted = { reads: [] as number[], writes: [] as number[] }
      const inWindow = (budget: 'reads' | 'writes') =>
        admitted[budget].filter((atMs) => atMs > at.now() - windowMs).length
      for (const each of steps) {
        switch (each.do) {
          case 'pass':
            at.pass(each.ms)
            break
          case 'settle':
            await instances[each.who]?.settle()
            break
          case 'die':
            instances[each.who] = at.instance({ skewMs: skews[each.who] ?? 0 })
            break
          case 'call': {
            const calls = Array.from({ length: each.calls }, () =>
              instances[each.who]?.spend(owner, each.budget),
            )
            const states = await Promise.all(calls)
            for (const state of states) if (state?.allowed) admitted[each.budget].push(at.now())
            expect(inWindow(each.budget)).toBeLessThanOrEqual(quotas[each.budget])
            // writes are not leased in blocks: none is refused while the quota has room
            if (each.budget === 'writes' && states.some((state) => state?.allowed === false)) {
              expect(inWindow('writes') + (await duePromises(owner))).toBeGreaterThanOrEqual(quotas.writes)
            }
            break
          }
          default:
            each satisfies never
        }
      }
      // blocks and promises of dead instances have expired: the whole quota is free again
      at.pass(300_000)
      let passed = 0
      for (let n = 0; n < 2 * quotas.reads; n++) {
        const state = await instances[n % 3]?.spend(owner, 'reads')
        if (state?.allowed) passed += 1
      }
      expect(passed).toBe(quotas.reads)
      await Promise.all(instances.map((instance) => instance.close()))
    },
  )
})

test('a caller that waits for Retry-After is admitted at the first retry, on any instance', async () => {
  await forAllAsync(
    [
      fc.array(fc.nat(1_900), { minLength: 30, maxLength: 30 }),
      fc.array(fc.record({ who: fc.nat(2), afterMs: fc.nat(700) }), {
        minLength: 1,
        maxLength: 70,
      }),
      fc.boolean(),
    ],
    { numRuns: 15 },
    async (gaps, calls, together) => {
      const owner = await at.key()
      const instances = [at.instance(), at.instance({ skewMs: 500 }), at.instance()]
      for (const gap of gaps) {
        at.pass(gap)
        expect(await instances[0]?.spend(owner, 'writes')).toMatchObject({ allowed: true })
      }
      // 30 gaps fit a window: all places are taken
      const promised: { who: number; atMs: number }[] = []
      const note = (who: number, state: RateLimitState | undefined): void => {
        expect(state?.allowed).toBe(false)
        promised.push({ who, atMs: at.now() + 1000 * (state?.retryAfterSeconds ?? 0) })
      }
      if (together) {
        const states = await Promise.all(calls.map(({ who }) => instances[who]?.spend(owner, 'writes')))
        states.forEach((state, n) => note(calls[n]?.who ?? 0, state))
      } else {
        for (const { who } of calls) note(who, await instances[who]?.spend(owner, 'writes'))
      }
      for (const { who, atMs } of promised.toSorted((a, b) => a.atMs - b.atMs)) {
        at.pass(Math.max(0, atMs - at.now()))
        expect(await instances[who]?.spend(owner, 'writes')).toMatchObject({ allowed: true })
      }
      await Promise.all(instances.map((instance) => instance.close()))
    },
  )
})

test('ten parallel clients are admitted one after another, each at its first retry', async () => {
  const owner = await at.key()
  const instance = at.instance()
  for (let n = 0; n < 30; n++) {
    await instance.spend(owner, 'writes')
    at.pass(350)
  }
  const refused = await Promise.all(Array.from({ length: 10 }, () => instance.spend(owner, 'writes')))
  const waits = refused.map((state) => 1000 * state.retryAfterSeconds)
  const startMs = at.now()
  for (const waitMs of waits) {
    // an admitted client keeps sending calls
    while (at.now() < startMs + waitMs) {
      at.pass(Math.min(50, startMs + waitMs - at.now()))
      if (at.now() < startMs + waitMs) await instance.spend(owner, 'writes')
    }
    expect(await instance.spend(owner, 'writes')).toMatchObject({ allowed: true })
  }
})

test('a promised place is reserved until the promised instant', async () => {
  const owner = await at.key()
  const [one, two] = [at.instance(), at.instance()]
  await useUp(one, owner)
  at.pass(59_100)
  expect(await one.spend(owner, 'writes')).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
  at.pass(901)
  const others = await Promise.all(Array.from({ length: 30 }, () => two.spend(owner, 'writes')))
  expect(others.filter((state) => state.allowed)).toHaveLength(29)
  at.pass(99)
  expect(await one.spend(owner, 'writes')).toMatchObject({ allowed: true })
})
