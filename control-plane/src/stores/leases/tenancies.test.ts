import { setTimeout as elapse } from 'node:timers/promises'
import { collectGarbage } from '@probe-mesh/infra/testing/collect-garbage'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTenancies } from './tenancies.ts'

const counts: number[] = []
const silent = () => ({
  log: pino({ level: 'silent' }),
  followed: { set: (count: unknown) => void counts.push(Number(count)) },
})
const lease = { partition: 3, epoch: 1 }

test('a run that is ended while it waits for something else notices at its next check of the signal', async () => {
  const busy = Promise.withResolvers<void>()
  const found: boolean[] = []
  const tenancies = createTenancies({
    hold: async (_, signal) => {
      // without a listener on the signal until then
      await busy.promise
      found.push(signal.aborted)
      await elapse(50)
    },
    ...silent(),
  })
  tenancies.begin(lease)
  const life = tenancies.end(lease)
  await collectGarbage()
  busy.resolve()
  await Promise.race([life?.over, elapse(1_000)])
  expect(life).not.toBeNull()
  expect(found).toEqual([true])
  await tenancies.close()
})

test('ends only the run under the same lease, and all runs when it closes', async () => {
  const signals: AbortSignal[] = []
  const tenancies = createTenancies({
    hold: async (_, signal) => {
      signals.push(signal)
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    },
    ...silent(),
  })
  counts.length = 0
  tenancies.begin(lease)
  expect(tenancies.end({ ...lease })).toBeNull()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  tenancies.begin({ partition: 4, epoch: 1 })
  await tenancies.close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(counts).toEqual([1, 2, 1, 0])
})
