import { errorPools } from '../contracts/error-pools.ts'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { sharesOfAddress, sharesOfProject } from '../events/event-shares.ts'
import { createEventWindows } from './event-windows.ts'

const quota = tiersDefault.free.errorEventsPerMonth
const minuteMs = 60_000
const start = Date.UTC(2026, 10, 23, 8, 0, 30)

const windowsAt = (scale = 1) => {
  const clock = { atMs: start }
  const windows = createEventWindows({ now: () => clock.atMs, scale })
  const spend = (count: number, source: { projectId?: string; network?: string; quota?: number }) =>
    Array.from({ length: count }, () =>
      windows.spend({ projectId: 'p', network: '192.0.2.1', quota, ...source }),
    ).filter((waitMs) => waitMs === 0).length
  return { clock, windows, spend }
}

test('a flood from one address uses a small part of the monthly quota per minute and day', () => {
  const { clock, spend } = windowsAt()
  const { minute, day } = sharesOfAddress(sharesOfProject(quota))
  expect(spend(4_900, {})).toBe(minute)
  let taken = minute
  for (let n = 0; n < 900; n++) {
    clock.atMs += minuteMs
    taken += spend(300, {})
  }
  expect(taken).toBe(day)
  expect(day).toBeLessThan(quota / 10)
})

test('a flood from many addresses uses only the share of its project', () => {
  const { spend } = windowsAt()
  const networks = Array.from({ length: 100 }, (_, n) => `198.51.100.${n}`)
  const taken = networks.map((network) => spend(100, { network }))
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(sharesOfProject(quota).minute)
  expect(spend(10, { projectId: 'q' })).toBe(10)
})

test('accepts a server burst from one address with a large quota', () => {
  const { spend } = windowsAt()
  expect(spend(250, { quota: tiersDefault.growth.errorEventsPerMonth })).toBe(250)
  const { scale } = tiersDefault
  expect(spend(2_500, { projectId: 'q', quota: scale.errorEventsPerMonth })).toBe(2_500)
})

test('a refusal has a wait time, after which events are accepted', () => {
  const { clock, windows, spend } = windowsAt()
  spend(1_000, {})
  const source = { projectId: 'p', network: '192.0.2.1', quota }
  const waitMs = windows.waitMs(source)
  expect(waitMs).toBe(30_000)
  clock.atMs += waitMs
  expect(windows.waitMs(source)).toBe(0)
})

test('`waitMs` spends nothing, and the scale multiplies all shares', () => {
  const { windows, spend } = windowsAt(1_000)
  for (let n = 0; n < 100; n++) windows.waitMs({ projectId: 'p', network: 'a', quota })
  expect(spend(5_000, {})).toBe(5_000)
})

test('never exceeds the share of a minute or a day', () => {
  const { ofAddress } = errorPools.errorEvents.limits
  forAll(
    [
      fc.array(fc.record({ afterMs: fc.nat(40_000), count: fc.nat(400), from: fc.nat(5) })),
      fc.constantFrom(0, 5_000, 40_000),
    ],
    (steps, quotaOf) => {
      const { clock, spend } = windowsAt()
      const project = sharesOfProject(quotaOf)
      const inMinute = new Map<string, number>()
      for (const { afterMs, count, from } of steps) {
        clock.atMs += afterMs
        const taken = spend(count, { network: `n${from}`, quota: quotaOf })
        const minute = Math.floor(clock.atMs / minuteMs)
        for (const [name, share] of [
          [`${minute}`, project.minute],
          [`${minute} ${from}`, Math.ceil(project.minute * ofAddress)],
        ] as const) {
          inMinute.set(name, (inMinute.get(name) ?? 0) + taken)
          expect(inMinute.get(name)).toBeLessThanOrEqual(share)
        }
      }
    },
  )
})
