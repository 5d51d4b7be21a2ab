import { expect, vi } from 'vitest'
import { answerTo } from './expect-service.ts'
import { intervalSeconds } from './interval.ts'
import type { Means } from './scenario.ts'

const patience = { timeout: 30_000 + 2 * intervalSeconds * 1_000, interval: 100 }

/** Waits until every service has been measured again. */
export const settle = async ({ fleet, client }: Means): Promise<void> => {
  const sinceMs = fleet.clock.now()
  await vi.waitFor(async () => {
    const { services } = await answerTo(client, 'listServices')
    const measuredMs = services.map(({ measuredAt }) => Date.parse(measuredAt ?? ''))
    for (const atMs of measuredMs) expect(atMs).toBeGreaterThan(sinceMs)
  }, patience)
}
