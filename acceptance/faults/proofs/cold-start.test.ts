import { setTimeout as elapse } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import type { EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { startAgentStage, type AgentStage } from '../testing/agent-stage.ts'

/** An agent that starts with 10,000 new checks, and again after a kill. */

const checks = 10_000
const intervalSeconds = 60
/** Five seconds, because a single one varies too much by chance. */
const windowSeconds = 5
const assignedAtOnce = 200
/** How much busier than any other interval the first may be (the fault list, F-19). */
const moreMax = 1.2

let stage: AgentStage

beforeAll(async () => {
  stage = await startAgentStage()
  for (let n = 0; n < checks; n += assignedAtOnce) {
    const some = Array.from({ length: assignedAtOnce }, (_, at) => n + at)
    await Promise.all(
      some.map((one) =>
        // Long before: each has missed slots, which are not made up for.
        stage.assign({ url: stage.target.url(`/${one}`), intervalSeconds, validFrom: 1 }),
      ),
    )
  }
}, 180_000)
afterAll(async () => stage?.close(), 60_000)

/** Counts the target's requests in each second of an interval. */
const countInterval = async (): Promise<number[]> => {
  const counts: number[] = []
  const startedAt = performance.now()
  let before = stage.target.hits()
  for (let second = 1; second <= intervalSeconds; second++) {
    await elapse(startedAt + second * 1_000 - performance.now())
    const now = stage.target.hits()
    counts.push(now - before)
    before = now
  }
  return counts
}

/** Counts from the first request after a start, because reading the assignments takes time. */
const countFirst = async (agent: EntryPart): Promise<number[]> => {
  const before = stage.target.hits()
  const started = agent.start()
  await vi.waitFor(() => expect(stage.target.hits()).toBeGreaterThan(before), {
    timeout: 60_000,
    interval: 5,
  })
  const counts = await countInterval()
  await started
  return counts
}

/** The maximum over consecutive seconds. */
const busiest = (counts: readonly number[]): number =>
  Math.max(...counts.map((_, at) => sum(counts.slice(at, at + windowSeconds))))

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)

test(
  'the first interval after a start with 10,000 checks has no more requests than any other',
  { timeout: 300_000 },
  async (context) => {
    const agent = await stage.agent('fra-1')
    const first = await countFirst(agent)
    const steady = await countInterval()
    await agent.kill()
    const again = await countFirst(agent)
    const mean = sum(steady) / intervalSeconds
    const shares = [first, again].map((counts) => sum(counts) / sum(steady))
    await recordFigure(
      context,
      `${checks} checks every ${intervalSeconds} s: ${sum(first)} requests in the first interval, ${sum(steady)} in the next, ` +
        `${sum(again)} in the first after kill -9; the busiest ${windowSeconds} seconds ${busiest(first)}, ${busiest(steady)} and ${busiest(again)}, ${(windowSeconds * mean).toFixed(0)} on the mean`,
    )
    expect(shares.filter((share) => share > moreMax)).toEqual([])
    expect(sum(steady)).toBeGreaterThan(checks * 0.9)
    expect(Math.max(busiest(first), busiest(again))).toBeLessThan(2 * windowSeconds * mean)
    expect(await agent.stop()).toBe(0)
  },
)
