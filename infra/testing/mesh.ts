import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccountEvent } from '@probe-mesh/contracts/events'
import type { Flip } from '@probe-mesh/contracts/events'
import type { Tier, TierLimits } from '@probe-mesh/contracts/tiers'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { parseConfig } from '@probe-mesh/control-plane/config'
import pino from 'pino'
import { startAllInOne } from '../all-in-one/all-in-one.ts'
import { parseAgentSettings } from '../all-in-one/region-agents.ts'
import { createTestClickHouse } from './clickhouse.ts'
import { createTestDatabase } from './postgres.ts'

/** A running mesh as tests of the path see it: its public face, and what was stored, counted. */
export type Mesh = {
  apiUrl: string
  apiKey: string
  /** Every flip that was streamed since the start, in order. */
  flips: readonly Flip[]
  /** Rows of a check in the raw table. */
  storedReadings(checkId: string): Promise<number>
  close(): Promise<void>
}

/** Everything in this process, on databases of its own in the run's servers. */
export const startMesh = async (options: {
  regions: readonly string[]
  tiers: Partial<Record<Tier, Partial<TierLimits>>>
  budgetScale: number
}): Promise<Mesh> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mesh-'))
  const [database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  const environment = {
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    CLICKHOUSE_URL: store.url,
    REGIONS: options.regions.join(','),
    TARGET_ALLOW: '127.0.0.0/8',
    TIER_OVERRIDES: JSON.stringify(options.tiers),
    BUDGET_SCALE: String(options.budgetScale),
  }
  const parsed = parseConfig(environment)
  const agents = parseAgentSettings(environment)
  if (!parsed.ok || !agents.ok) throw new Error('the test environment is wrong')
  const started = await startAllInOne({
    config: parsed.config,
    agents: agents.settings,
    mcpPort: 0,
    seed: false,
    log: pino({ level: process.env['MESH_LOG'] ?? 'silent' }, pino.destination(2)),
    now: Date.now,
  })
  const { apiKey } = started.credentials
  const stream = await followFlips(`${started.apiUrl}/events`, apiKey)
  const clickhouse = connectClickHouse(store.url)
  return {
    apiUrl: started.apiUrl,
    apiKey,
    flips: stream.flips,
    storedReadings: async (checkId) => {
      const result = await clickhouse.query({
        query: 'select count() as count from readings_raw where check_id = {checkId:UUID}',
        query_params: { checkId },
        format: 'JSONEachRow',
      })
      const [row] = await result.json<{ count: number }>()
      return row?.count ?? 0
    },
    close: async () => {
      await stream.close()
      await started.close()
      await clickhouse.close()
      await Promise.all([database.close(), store.close()])
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Follows the account's events the way any client would, and keeps the flips. */
const followFlips = async (
  url: string,
  apiKey: string,
): Promise<{ flips: readonly Flip[]; close(): Promise<void> }> => {
  const stop = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: stop.signal,
  })
  if (!response.ok || response.body === null) throw new Error(`events answered ${response.status}`)
  const flips: Flip[] = []
  const { body } = response
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1]
        if (data === undefined) continue
        const event = AccountEvent.safeParse(JSON.parse(data))
        if (event.success && event.data.kind === 'flip') flips.push(event.data.flip)
      }
    }
  }
  const reading = read().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    flips,
    close: async () => {
      stop.abort()
      await reading
    },
  }
}
