import { limits } from '@probe-mesh/contracts/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPages } from './pages.ts'
import type { PagePlace } from './pages.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const scheduled = (accountId: string) => ({ accountId, isAsked: false })
const asked = (accountId: string) => ({ accountId, isAsked: true })
const held = (taken: PagePlace | string): PagePlace => {
  if (typeof taken === 'string') throw new Error(taken)
  return taken
}

test('one account alone has all pages', async () => {
  const pages = createPages()
  held(await pages.take(scheduled('a'), never))
  held(await pages.take(scheduled('a'), never))
  expect(pages.pool.taken).toBe(2)
})

test('a page that comes free goes to the account with the fewest, and is free once', async () => {
  const pages = createPages()
  const first = held(await pages.take(scheduled('hog'), never))
  held(await pages.take(scheduled('hog'), never))
  const order: string[] = []
  const waiting = ['hog', 'hog', 'small'].map(async (accountId) => {
    const place = held(await pages.take(scheduled(accountId), never))
    order.push(accountId)
    place.release()
    place.release()
  })
  first.release()
  first.release()
  await Promise.all(waiting)
  expect([order[0], pages.pool.taken]).toEqual(['small', 1])
})

test("another's scheduled run has a page at once, whatever number of trials wait", async () => {
  const pages = createPages()
  for (let account = 0; account < 50; account++) {
    for (let trial = 0; trial < 16; trial++) void pages.take(asked(`free-${account}`), never)
  }
  held(await pages.take(scheduled('victim'), never))
  expect([pages.asked.taken, pages.pool.taken]).toEqual([1, 2])
})

test('a run that is asked for has the next turn, within a page, while another account has 16 waiting', async () => {
  const pages = createPages()
  const pageMs = limits.browserAttemptMsMax
  const slowTrial = async () => {
    const place = await pages.take(asked('hog'), never)
    if (typeof place !== 'string') setTimeout(place.release, pageMs)
  }
  for (let trial = 0; trial < 16; trial++) void slowTrial()
  await vi.advanceTimersByTimeAsync(1)
  const victims = pages.take(asked('victim'), never)
  await vi.advanceTimersByTimeAsync(pageMs)
  held(await victims)
})

test('who waits too long is overloaded, and who is stopped is told so', async () => {
  const pages = createPages()
  for (let page = 0; page < 2; page++) await pages.take(scheduled('hog'), never)
  const controller = new AbortController()
  const late = [scheduled, asked].map((run) => pages.take(run('a'), never))
  const stopped = [scheduled, asked].map((run) => pages.take(run('b'), controller.signal))
  controller.abort()
  expect(await Promise.all(stopped)).toEqual(['stopped', 'stopped'])
  await vi.advanceTimersByTimeAsync(limits.pageTurnMsMax)
  expect(await Promise.all(late)).toEqual(['overloaded', 'overloaded'])
  expect(await pages.take(scheduled('a'), controller.signal)).toBe('stopped')
  expect([pages.asked.taken, pages.asked.waiting, pages.pool.waiting]).toEqual([0, 0, 0])
})

test('a queue has a bound, and an account a share of it', async () => {
  const pages = createPages()
  for (let page = 0; page < 2; page++) await pages.take(scheduled('a'), never)
  const waiting = Array.from({ length: 32 }, () => pages.take(scheduled('a'), never))
  expect(await pages.take(scheduled('a'), never)).toBe('overloaded')
  expect(pages.pool.waiting).toBe(32)
  await vi.advanceTimersByTimeAsync(limits.pageTurnMsMax)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['overloaded']))
})
