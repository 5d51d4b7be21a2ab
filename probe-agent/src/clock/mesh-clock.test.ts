import { expect, test } from 'vitest'
import { createMeshClock } from './mesh-clock.ts'

/** A machine whose clock is off by `skewMs`, at a time that the mesh agrees on. */
const machine = (skewMs: number) => {
  const at = { meshMs: 1_000_000, skewMs }
  const clock = createMeshClock(
    () => at.meshMs + at.skewMs,
    () => at.meshMs - 400_000,
  )
  const sample = (over: object = {}) =>
    clock.addSample({ aheadMs: at.skewMs, errorMs: 50, isAgreed: true, ...over })
  return { at, clock, sample }
}

test.each([90_000, -90_000, 3_700_000])('a clock off by %i ms is ignored', (skewMs) => {
  const { at, clock, sample } = machine(skewMs)
  expect(clock.now()).toBe(1_000_000 + skewMs)
  sample()
  expect(clock.now()).toBe(1_000_000)
  at.meshMs += 60_000
  // jumps of the machine's clock do not matter now
  at.skewMs = 5_000_000
  expect(clock.now()).toBe(1_060_000)
  expect(clock.problem()).toContain(`${Math.abs(skewMs) / 1_000} s ${skewMs > 0 ? 'ahead' : 'behind'}`)
})

test('a clock with an error of a few seconds is used, also after a correction', () => {
  const { at, clock, sample } = machine(4_900)
  sample()
  expect([clock.now(), clock.problem()]).toEqual([1_004_900, null])
  at.skewMs = 90_000
  sample()
  expect(clock.now()).toBe(1_000_000)
  at.skewMs = 1_000
  sample()
  expect([clock.now(), clock.problem(), clock.aheadSeconds()]).toEqual([1_001_000, null, 1])
})

test('the machine keeps its clock when it is unclear whose is wrong', () => {
  const { clock, sample } = machine(90_000)
  sample({ isAgreed: false })
  expect(clock.now()).toBe(1_090_000)
  sample({ errorMs: 86_000 })
  expect([clock.now(), clock.problem()]).toEqual([1_090_000, null])
})

test('slots do not move with the duration of a sample', () => {
  const { clock, sample } = machine(90_000)
  sample()
  sample({ aheadMs: 90_400, errorMs: 500 })
  expect(clock.now()).toBe(1_000_000)
})

test('a correct clock that is set back is ignored until the next sample; set forward it is used', () => {
  const { at, clock, sample } = machine(0)
  sample()
  at.skewMs = -3_600_000
  expect(clock.now()).toBe(1_000_000)
  sample()
  expect(clock.now()).toBe(1_000_000)
  at.skewMs = 0
  sample()
  at.skewMs = 20_000
  expect(clock.now()).toBe(1_020_000)
})

test('returns whole milliseconds, as readings need', () => {
  let skewMs = 0
  const clock = createMeshClock(
    () => 1_000_000 + skewMs,
    () => 600_000.123,
  )
  clock.addSample({ aheadMs: 0, errorMs: 0.4, isAgreed: true })
  skewMs = -90_000
  expect(clock.now()).toBe(1_000_000)
  clock.addSample({ aheadMs: -90_000.3, errorMs: 0.4, isAgreed: true })
  expect(Number.isInteger(clock.now())).toBe(true)
})
