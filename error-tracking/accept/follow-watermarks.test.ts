import { createFixedWindow, createRateLimiter } from '@probe-mesh/runtime/rate-limiter'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import type { IngestKey } from '../projects/ingest-keys-store.ts'
import { createCostBudget } from './cost-budget.ts'
import { createEventWindows } from './event-windows.ts'
import { followWatermarks } from './follow-watermarks.ts'
import { limitOf, spendShare } from './limits.ts'
import { createStreamBacklog } from './stream-backlog.ts'

const key = { projectId: 'p', accountId: 'hog' } as IngestKey

test('refuses an account with a full backlog until it is processed', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const backlog = createStreamBacklog({ messages: 10, bytes: 1_000 })
  let counted = 0
  const sql = (() => Promise.resolve([{ sequence: String(counted), stored_at_ms: '1' }])) as unknown as Sql
  const watermarks = followWatermarks({ sql, backlog, log: pino({ level: 'silent' }) })
  const now = Date.now
  const limits = {
    rate: createRateLimiter({
      now,
      keysMax: 10,
      meter: () => createFixedWindow(1_000, 1_000),
    }),
    windows: createEventWindows({ now, scale: 1 }),
    costs: createCostBudget({ now }),
    backlog,
    quotaOf: () => 5_000,
  }
  const source = { key, network: '192.0.2.1' }
  for (let sequence = 1; sequence <= 10; sequence++) {
    expect(limitOf(limits, source)).toBeNull()
    backlog.add('hog', { partition: 3, sequence, bytes: 1 })
  }
  expect(limitOf(limits, source)).toEqual({ limit: 'backlog', seconds: 5 })
  expect(spendShare(limits, source)).toEqual({ limit: 'backlog', seconds: 5 })
  expect(limitOf(limits, { ...source, key: { ...key, accountId: 'other' } })).toBeNull()
  counted = 10
  await vi.advanceTimersByTimeAsync(1_500)
  expect(limitOf(limits, source)).toBeNull()
  await watermarks.close()
})
