import { cp, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { joinDocument } from '../faults/join-document.ts'
import { runStamp } from '../faults/run-stamp.ts'
import { comeToRest } from '../testing/come-to-rest.ts'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test, vi } from 'vitest'
import type { Facts, Fault, Post, Request } from './judging/facts.ts'
import { judge } from './judging/judge.ts'
import { oracleSection, printed } from './judging/report.ts'
import { createScript } from './judging/script.ts'
import {
  readJournals,
  readLines,
  readListed,
  readPostgres,
  readReadings,
  readStatuses,
  readSeries,
} from './judging/stores.ts'
import { startWorld } from './outside/start-world.ts'
import { inflictAll } from './stage/faults.ts'
import { startOracleMesh } from './stage/mesh.ts'

/**
 * Runs a mesh of processes through twelve faults and compares it with the journals of its target and its
 * receiver of webhooks. The project starts the mesh and causes the faults; the comparison is independent of
 * it.
 */

const minutes = Number(process.env['ORACLE_MINUTES'] ?? 12)
const seed = Number(process.env['ORACLE_SEED'] ?? 29)
const keepIn = process.env['ORACLE_KEEP']
const minuteMs = 60_000
const spanMs = minutes * minuteMs
const script = createScript(seed, spanMs)
/** Refused deliveries wait for minutes before a retry. */
const restMsMax = 20 * minuteMs

const folder = testFolder('oracle-')

const world = useOnce(() => startWorld(folder), 600_000)
const mesh = useOnce(() => startOracleMesh(script, world, folder), 600_000)

/** Waits until no reading, flip or message is in progress. @returns when all checks were paused */
const untilRest = async (): Promise<number> => {
  const sql = connectPostgres(mesh.parts.databaseUrl, { connectionsMax: 1 })
  try {
    const pausedAt = await comeToRest(mesh.parts, sql)
    await vi.waitFor(
      async () => {
        const [row] = await sql<{ waiting: number; pending: number }[]>`
          select (select count(*)::integer from alert_messages) as waiting,
            (select count(*)::integer from deliveries where state = 'pending') as pending`
        expect(row).toEqual({ waiting: 0, pending: 0 })
      },
      { timeout: restMsMax, interval: 1_000 },
    )
    return pausedAt
  } finally {
    await sql.end()
  }
}

/** The age from which `series` counts slots, because no reading is still on its way. */
const settledMs = 60_000

/** Reads all facts after the mesh came to rest. */
const gather = async (beganAt: number, pausedAt: number, faults: readonly Fault[]): Promise<Facts> => {
  const { parts, hooks, apiKey, gateway } = mesh
  const { databaseUrl, clickhouseUrl, apiUrl, journalDir } = parts
  const places = {
    databaseUrl,
    clickhouseUrl,
    apiUrl,
    apiKey,
    gatewayUrl: gateway.url,
    journalDir,
  }
  const span = {
    fromMs: Math.ceil(mesh.measuredSince / minuteMs) * minuteMs,
    // slots just before the pause were not run
    toMs: Math.floor((pausedAt - minuteMs / 4) / minuteMs) * minuteMs,
  }
  await elapse(Math.max(0, span.toMs + settledMs - Date.now()))
  const known = await readPostgres(databaseUrl)
  const { checkIds } = known
  return {
    ...known,
    script,
    beganAt,
    span,
    faults,
    hooks,
    requests: await readLines<Request>(join(folder, 'requests')),
    posts: await readLines<Post>(join(folder, 'posts')),
    journals: await readJournals(journalDir),
    readings: await readReadings(clickhouseUrl, checkIds),
    series: await readSeries(places, { checkIds, span }),
    listed: await readListed(places, checkIds),
    statuses: await readStatuses(places, checkIds),
  }
}

test(
  `${minutes} minutes with twelve faults give no finding`,
  { timeout: spanMs + 2 * restMsMax },
  async () => {
    const beganAt = Date.now()
    await world.play({ script, beginsAt: beganAt })
    const load = [loadavg()[0] ?? 0]
    const watch = setInterval(() => load.push(loadavg()[0] ?? 0), 5_000)
    const how = { seed, beganAt, spanMs, log: (line: string) => console.info(line) }
    const faults = await inflictAll(mesh.parts, world, how).finally(() => clearInterval(watch))
    const pausedAt = await untilRest()
    const facts = await gather(beganAt, pausedAt, faults)
    const findings = judge(facts)
    console.info(printed(facts, findings))
    if (keepIn !== undefined) {
      await cp(folder, keepIn, { recursive: true })
      await cp(mesh.parts.journalDir, join(keepIn, 'journal'), { recursive: true })
      await writeFile(join(keepIn, 'facts.json'), JSON.stringify(facts, plain))
    }
    if (process.env['ORACLE_RECORD'] === 'yes') {
      const stamp = runStamp(Date.now())
      const loaded = `${Math.min(...load).toFixed(0)} to ${Math.max(...load).toFixed(0)}`
      await joinDocument(oracleSection({ ...stamp, load: loaded }, facts, findings))
      console.info('written: docs/reliability.md')
    }
    expect(findings.filter(({ wrong }) => wrong > 0)).toEqual([])
  },
)

/** Maps and sets as JSON. */
const plain = (_key: string, value: unknown): unknown =>
  value instanceof Map ? [...value] : value instanceof Set ? [...value] : value
