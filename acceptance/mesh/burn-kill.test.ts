import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { alertScenario } from '@probe-mesh/control-plane/src/app/alerting/testing'
import {
  insertHistories,
  insertObjective,
} from '@probe-mesh/control-plane/src/objectives/testing/insert-objective'
import { insertReadings } from '@probe-mesh/control-plane/src/readings/insert-readings'
import { readingAt } from '@probe-mesh/control-plane/src/status/testing'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { afterAll, expect, test, vi } from 'vitest'
import type { BurningOptions } from './burning.fixture.ts'

/** Kills control planes while they judge an objective that burns and recovers, again and again. Two share the work. */
const fixture = fileURLToPath(new URL('burning.fixture.ts', import.meta.url))
const turns = 24

const database = useTestDatabase()
const store = useTestClickHouse()
const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

const start = async (options: BurningOptions): Promise<ChildProcess> => {
  const child = fork(fixture, [JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  running.add(child)
  await once(child, 'message')
  return child
}
const kill = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  running.delete(child)
}

/** Acts when a control plane has written the message and not yet the alert. Its session ends with it. */
const betweenMessageAndAlert = async (
  begin: () => Promise<unknown>,
  act: () => Promise<unknown>,
): Promise<void> => {
  const owner = connectPostgres(database.url, { connectionsMax: 2 })
  await owner.begin(async (tx) => {
    await tx`lock table burn_alerts in exclusive mode`
    await begin()
    const blocked = () => owner<{ pid: number }[]>`
      select pid from pg_locks where relation = 'burn_alerts'::regclass and not granted`
    await vi.waitFor(async () => expect(await blocked()).not.toHaveLength(0), {
      timeout: 10_000,
      interval: 10,
    })
    await act()
    await owner`
      select pg_terminate_backend(pid) from pg_locks
      where relation = 'burn_alerts'::regclass and not granted`
  })
  await owner.end()
}

test('each begin and each end of a burn is told once, through kill -9 of control planes that judge it', async () => {
  const sql = connectPostgres(database.url, { role: 'probe_mesh_system', connectionsMax: 2 })
  const clickhouse = connectClickHouse(store.url)
  const game = alertScenario(sql)
  const accountId = await game.account()
  const [checkId = ''] = await game.checks(accountId, ['shop'])
  await game.channel(accountId)
  const { id: alertRuleId } = await game.rule(accountId)
  // due once a day, so that a few probes measure three days
  await insertHistories(sql, [checkId], Date.now() - 4 * 86_400_000, 86_400)
  // at 50 percent only the slowest pair may burn: when at least half of the probes fail
  await insertObjective(sql, { accountId, name: 'Checkout', target: 50, checkId, alertRuleId })
  let number = 0
  const probe = async (verdict: 'up' | 'down', count: number): Promise<void> => {
    const rows = Array.from({ length: count }, () => ({
      reading: readingAt('fra', verdict, Date.now() - 60_000 + number++, { checkId }),
      agent: 'fra-1',
      receivedAtMs: Date.now(),
      rawDays: 90,
      hourDays: 800,
    }))
    await insertReadings(clickhouse, rows, crypto.randomUUID())
  }
  const options = { databaseUrl: database.url, clickhouseUrl: store.url }
  const planes = [await start(options), await start(options)]
  await probe('up', 1)
  for (let turn = 0; turn < turns; turn++) {
    const isBurning = turn % 2 === 0
    await probe(isBurning ? 'down' : 'up', 1 + Math.min(turn, 1))
    // due for both at once, and again until one has judged
    const due = (): Promise<unknown> => sql`update burn_looks set looked_at = 'epoch'`
    if (turn % 3 === 2) {
      await betweenMessageAndAlert(due, () => Promise.all(planes.splice(0).map(kill)))
      planes.push(await start(options))
    } else {
      await due()
      await elapse(Math.random() * 25)
      await Promise.all(planes.splice(0, 1).map(kill))
    }
    await vi.waitFor(
      async () => {
        await due()
        expect(await sql`select from burn_alerts`).toHaveLength(isBurning ? 1 : 0)
      },
      { timeout: 20_000, interval: 20 },
    )
    planes.push(await start(options))
  }
  await Promise.all([...running].map(kill))
  const events = (await game.deliveries(accountId)).map(({ message }) => message.event)
  expect(events).toEqual(Array.from({ length: turns }, (_, turn) => (turn % 2 === 0 ? 'alert' : 'recovery')))
  await Promise.all([sql.end(), clickhouse.close()])
}, 180_000)
