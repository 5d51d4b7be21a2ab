import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOwnFaultNotice, recheckMs } from './own-fault-notice.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const noticeAt = (clock: { ms: number }, recheck = async (): Promise<unknown> => null) => {
  const lines: string[] = []
  const log = {
    warn: (_: unknown, message = '') => lines.push(`warn ${message}`),
    info: (_: unknown, message = '') => lines.push(`info ${message}`),
  }
  return { lines, notice: createOwnFaultNotice({ log, now: () => clock.ms, recheck }) }
}

test('logs once that the probe cannot measure, and once that it can again', () => {
  const { lines, notice } = noticeAt({ ms: 0 })
  notice.onNetwork(true)
  notice.onResolver(true)
  expect(lines).toEqual([])
  notice.onResolver(false)
  notice.onNetwork(false)
  notice.onResolver(false)
  notice.onResolver(true)
  expect(lines).toEqual([
    'warn the resolver of the probe does not answer for control names: failures do not count against targets until this is fixed',
  ])
  notice.onNetwork(true)
  notice.onNetwork(false)
  expect(lines.slice(1)).toEqual([
    'info the probe resolves names and reaches canaries again',
    'warn the probe does not resolve or reach any canary: failures do not count against targets until this is fixed',
  ])
  notice.close()
})

test('reports a fault with its start, until it is over', () => {
  const clock = { ms: 100 }
  const { notice } = noticeAt(clock)
  expect(notice.fault()).toBeNull()
  notice.onResolver(false)
  clock.ms = 200
  notice.onResolver(false)
  notice.onNetwork(false)
  expect(notice.fault()).toEqual({ namesSince: 100, networkSince: 200 })
  notice.onResolver(true)
  expect(notice.fault()).toEqual({ namesSince: null, networkSince: 200 })
  notice.onNetwork(true)
  expect(notice.fault()).toBeNull()
  notice.close()
})

test('looks at canaries soon after the start and then rarely, although no target fails', async () => {
  let looked = 0
  const { notice } = noticeAt({ ms: 0 }, async () => {
    looked += 1
    notice.onNetwork(false)
  })
  await vi.advanceTimersByTimeAsync(recheckMs)
  expect({ looked, fault: notice.fault() }).toEqual({
    looked: 1,
    fault: { namesSince: null, networkSince: 0 },
  })
  notice.close()
  let idle = 0
  const { notice: well } = noticeAt({ ms: 0 }, async () => void (idle += 1))
  await vi.advanceTimersByTimeAsync(600_000)
  expect(idle).toBe(2)
  well.close()
})

test('checks a fault again although no target fails, until it is over', async () => {
  let looked = 0
  const { notice } = noticeAt({ ms: 0 }, async () => {
    looked += 1
    if (looked === 2) notice.onResolver(true)
    if (looked === 1) throw new Error('nobody answers')
  })
  notice.onResolver(false)
  notice.onNetwork(false)
  notice.onNetwork(true)
  await vi.advanceTimersByTimeAsync(10 * recheckMs)
  expect({ looked, fault: notice.fault() }).toEqual({ looked: 2, fault: null })
  notice.onResolver(false)
  notice.close()
  await vi.advanceTimersByTimeAsync(10 * recheckMs)
  expect(looked).toBe(2)
})
