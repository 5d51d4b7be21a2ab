import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { heldMetrics, inWork, onHeld, ownWork, startLoopWatch, type Held } from './loop-watch.ts'

/** Holds the loop with this CPU time, ms. */
const spin = (ms: number): void => {
  const before = process.threadCpuUsage()
  while (process.threadCpuUsage(before).user / 1_000 < ms);
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('names the work that holds the loop, and its account, in the middle of a regular expression too', async () => {
  const held: Held[] = []
  const watch = startLoopWatch(200)
  const end = onHeld((each) => held.push(each))
  const hold = (what: string, act: () => void) =>
    inWork({ kind: 'check', what, owner: null }, async () => {
      await turn()
      ownWork(`the account of ${what}`)
      act()
    })
  // the thread is there once it reports
  await vi.waitUntil(() => {
    spin(300)
    return held.length > 0
  }, 60_000)
  await turn()
  held.length = 0
  await hold('one', () => spin(600))
  await vi.waitUntil(() => held.some(({ work }) => work?.what === 'one'), 60_000)
  const quadratic = /^a+$|b+c/
  await hold('two', () => quadratic.test('b'.repeat(80_000)))
  await vi.waitUntil(() => held.some(({ work }) => work?.what === 'two'), 60_000)
  expect(held.flatMap(({ work }) => work ?? [])).toEqual([
    { kind: 'check', what: 'one', owner: 'the account of one' },
    { kind: 'check', what: 'two', owner: 'the account of two' },
  ])
  end()
  await watch.close()
})

test('the metrics count holds by kind, and show the latest', async () => {
  const registry = new Registry()
  const count = heldMetrics(registry)
  for (let n = 0; n < 9; n += 1) count({ work: { kind: 'check', what: `c${n}`, owner: 'a' }, ms: 1_000 + n })
  count({ work: null, ms: 2_000 })
  const text = await registry.metrics()
  expect(text).toContain('loop_held_total{kind="check"} 9')
  expect(text).toContain('loop_held_seconds{kind="other",what="",account=""} 2')
  expect(text).toContain('loop_held_seconds{kind="check",what="c8",account="a"} 1.008')
  expect(text).not.toContain('what="c1"')
})
