import { limits } from '@probe-mesh/contracts/schema/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPages, type PagePlace, type PageRun, type Pages } from './pages.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const scheduled = (accountId: string) => ({ accountId, isOnDemand: false })
const onDemand = (accountId: string) => ({ accountId, isOnDemand: true })
const trials = (accountId: string) => ({ accountId, isOnDemand: true, isFreeTrial: true })
const held = (taken: PagePlace | string): PagePlace => {
  if (typeof taken === 'string') throw new Error(taken)
  return taken
}

test('one account alone has all pages', async () => {
  const pages = createPages()
  held(await pages.acquire(scheduled('a'), never))
  held(await pages.acquire(scheduled('a'), never))
  expect(pages.pool.taken).toBe(2)
})

test('a free page goes to the account with the fewest, once', async () => {
  const pages = createPages()
  const first = held(await pages.acquire(scheduled('hog'), never))
  held(await pages.acquire(scheduled('hog'), never))
  const order: string[] = []
  const waiting = ['hog', 'hog', 'small'].map(async (accountId) => {
    const place = held(await pages.acquire(scheduled(accountId), never))
    order.push(accountId)
    place.release()
    place.release()
  })
  first.release()
  first.release()
  await Promise.all(waiting)
  expect([order[0], pages.pool.taken]).toEqual(['small', 1])
})

test("another account's scheduled run gets a page at once, with any number of waiting trials", async () => {
  const pages = createPages()
  for (let account = 0; account < 50; account++) {
    for (let trial = 0; trial < 16; trial++) void pages.acquire(onDemand(`free-${account}`), never)
  }
  held(await pages.acquire(scheduled('victim'), never))
  expect([pages.onDemand.taken, pages.pool.taken]).toEqual([1, 1])
})

test('a run on demand gets the next free page, while another account has 16 waiting', async () => {
  const pages = createPages()
  const slowTrial = async () => {
    const place = await pages.acquire(onDemand('hog'), never)
    if (typeof place !== 'string') setTimeout(place.release, pageMs)
  }
  for (let trial = 0; trial < 16; trial++) void slowTrial()
  await vi.advanceTimersByTimeAsync(1)
  const victims = pages.acquire(onDemand('victim'), never)
  await vi.advanceTimersByTimeAsync(pageMs)
  held(await victims)
})

const pageMs = limits.browserAttemptMsMax
/** Keeps requesting pages that use their whole time, also while one is open. */
const keepAsking = (pages: Pages, run: PageRun): void => {
  const ask = async (): Promise<void> => {
    for (let page = 0; page < 50; page++) {
      const place = await pages.acquire(run, never)
      if (typeof place === 'string') continue
      await new Promise((resolve) => setTimeout(resolve, pageMs))
      place.release()
    }
  }
  void ask()
  void ask()
}

test('a run on demand gets a page at once, and a scheduled one the next, despite trials of Free accounts', async () => {
  const pages = createPages()
  for (let account = 0; account < 8; account++) keepAsking(pages, trials(`free-${account}`))
  await vi.advanceTimersByTimeAsync(1)
  expect(pages.trials.taken).toBe(1)
  held(await pages.acquire(onDemand('victim'), never))
  const slot = pages.acquire(scheduled('victim'), never)
  await vi.advanceTimersByTimeAsync(pageMs)
  held(await slot)
  // the page of the ended trial, while no other trial has started
  expect([pages.trials.taken, pages.pool.taken, pages.onDemand.taken]).toEqual([0, 1, 1])
})

test('a trial of a Free account starts when no other run waits and no other run on demand has a page', async () => {
  const pages = createPages()
  const first = held(await pages.acquire(onDemand('a'), never))
  const trial = pages.acquire(trials('free'), never)
  await vi.advanceTimersByTimeAsync(1)
  expect(pages.trials.taken).toBe(0)
  first.release()
  held(await trial)
  expect(pages.trials.taken).toBe(1)
})

test('a run on demand gets the next free page, while scheduled runs of 63 accounts wait', async () => {
  const pages = createPages()
  for (let account = 0; account < 63; account++) keepAsking(pages, scheduled(`other-${account}`))
  await vi.advanceTimersByTimeAsync(1)
  const victims = pages.acquire(onDemand('victim'), never)
  await vi.advanceTimersByTimeAsync(pageMs)
  held(await victims)
})

test.each([
  ['a run that is onDemand for', onDemand],
  ['a scheduled run', scheduled],
])(
  'with eight accounts of slow pages, %s of another gets one after each of them had one',
  async (_name, runOf) => {
    const pages = createPages()
    // scheduled runs and runs on demand have one page each
    keepAsking(pages, (runOf === onDemand ? scheduled : onDemand)('other'))
    for (let account = 0; account < 8; account++) keepAsking(pages, runOf(`slow-${account}`))
    await vi.advanceTimersByTimeAsync(1)
    const answers: string[] = []
    // as often as a check with an interval of 60 s runs
    for (let time = 0; time < 4; time++) {
      const asking = pages.acquire(runOf('victim'), never)
      await vi.advanceTimersByTimeAsync(limits.pageTurnMsMax)
      const place = await asking
      answers.push(typeof place === 'string' ? place : 'page')
      if (typeof place !== 'string') place.release()
      await vi.advanceTimersByTimeAsync(60_000 - limits.pageTurnMsMax)
    }
    expect(answers).toContain('page')
  },
)

test('a run that waits too long is overloaded, and a stopped one is stopped', async () => {
  const pages = createPages()
  for (let page = 0; page < 2; page++) await pages.acquire(scheduled('hog'), never)
  const controller = new AbortController()
  const late = [scheduled, onDemand, trials].map((run) => pages.acquire(run('a'), never))
  const stopped = [scheduled, onDemand, trials].map((run) => pages.acquire(run('b'), controller.signal))
  controller.abort()
  expect(await Promise.all(stopped)).toEqual(['stopped', 'stopped', 'stopped'])
  await vi.advanceTimersByTimeAsync(limits.pageTurnMsMax)
  expect(await Promise.all(late)).toEqual(['overloaded', 'overloaded', 'overloaded'])
  expect(await pages.acquire(scheduled('a'), controller.signal)).toBe('stopped')
  expect([pages.onDemand.taken, pages.onDemand.waiting, pages.pool.waiting]).toEqual([0, 0, 0])
})

test('a queue has a limit, and an account a share of it', async () => {
  const pages = createPages()
  for (let page = 0; page < 2; page++) await pages.acquire(scheduled('a'), never)
  const waiting = Array.from({ length: 32 }, () => pages.acquire(scheduled('a'), never))
  expect(await pages.acquire(scheduled('a'), never)).toBe('overloaded')
  expect(pages.pool.waiting).toBe(32)
  await vi.advanceTimersByTimeAsync(limits.pageTurnMsMax)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['overloaded']))
})
