import { closeSync, openSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { dumpClickHouse, dumpPostgres } from '../errors/dump-stores.ts'
import { createSearch, linesOf } from '../errors/traces.ts'
import { runAdmin } from '@probe-mesh/infra/operate/admin/admin'
import { createMeshProcess, type MeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { slowMs, startEcho, startSlow } from './plant-request.ts'
import { plant, plantSecrets, type PlantResult } from './plant.ts'

/** A system with a secret in every input that accepts one, full logs, and unreachable mail and channels. */
const secrets = plantSecrets()
const { operator, account, inClear } = secrets

const folder = testFolder('security-')
let log: number
let mesh: MeshProcess
let made: PlantResult
let echo: Awaited<ReturnType<typeof startEcho>>
let slow: Awaited<ReturnType<typeof startSlow>>
/** The output of a backup while the system runs. */
let backup: { code: number; said: string }
let dumps: { table: string; text: string }[]

beforeAll(async () => {
  log = openSync(join(folder, 'log'), 'w')
  const [closedPort = 0] = await freePorts(1)
  mesh = await createMeshProcess({
    dataDir: join(folder, 'data'),
    environment: {
      LOG_LEVEL: 'trace',
      REGIONS: 'fra,iad',
      TARGET_ALLOW: '127.0.0.0/8',
      CANARIES: 'none',
      CHROMIUM: 'off',
      BUDGET_SCALE: '1000',
      SECRETS_KEY: operator.secretsKey,
      GATEWAY_KEY: operator.gatewayKey,
      SMTP_URL: `smtp://mailer:${operator.smtpPassword}@127.0.0.1:${closedPort}`,
      MAIL_FROM: 'Status <status@example.org>',
    },
    logTo: log,
  })
  await mesh.start()
  const origin = new URL(mesh.apiUrl).origin
  echo = await startEcho()
  slow = await startSlow({ header: account.typedKey, body: account.checkKey })
  const urls = { echo: echo.url, slow: slow.url }
  made = await plant(origin, await mesh.credentials(), secrets, closedPort, urls)
  const stores = await mesh.stores()
  const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 2 })
  // a channel test needs a server, and only tested channels get alerts
  await sql`update notification_channels set verified_at = now()`
  // the alert of the failing check goes to every channel, and fails there
  await vi.waitFor(async () => expect(await mesh.metric('deliveries_failed_total')).toBeGreaterThan(0), {
    timeout: 45_000,
    interval: 200,
  })
  const clickhouse = connectClickHouse(stores.clickhouseUrl)
  dumps = [...(await dumpPostgres(sql)), ...(await dumpClickHouse(clickhouse))]
  await Promise.all([sql.end(), clickhouse.close()])
  backup = await backUp()
}, 180_000)
afterAll(async () => {
  await mesh?.close()
  echo?.close()
  slow?.close()
  closeSync(log)
})

/** Into the folder that the last test searches. */
const backUp = async (): Promise<typeof backup> => {
  const key = join(folder, 'backup.key')
  await writeFile(key, randomBytes(32).toString('hex'), { mode: 0o600 })
  const to = join(folder, 'copy.backup')
  const environment = { DATA_DIR: join(folder, 'data'), SECRETS_KEY: operator.secretsKey }
  let said = ''
  const hear = (text: string): void => {
    said += text
  }
  const argv = ['backup', '--to', to, '--key-file', key]
  const code = await runAdmin(argv, environment, { out: hear, error: hear })
  return { code, said }
}

const given = () => [...Object.values(operator), ...Object.values(account), ...Object.values(made.ours)]

describe('a secret of a user', () => {
  test('is in no log, at any log level', async () => {
    const search = createSearch([...given(), ...Object.values(inClear)])
    const text = await readFile(join(folder, 'log'))
    expect(text.length).toBeGreaterThan(1_000)
    expect(linesOf(search.inBytes('the log', text))).toEqual([])
  })

  test('is in no answer, page or metric', () => {
    const search = createSearch([...given(), inClear.stepBody])
    expect(made.answers.length).toBeGreaterThan(20)
    const traces = made.answers.flatMap(({ where, text }) => search.inBytes(where, Buffer.from(text)))
    expect(linesOf(traces)).toEqual([])
  })

  test('is in no table, except secrets that agents must send', () => {
    const search = createSearch(given())
    const traces = dumps.flatMap(({ table, text }) => search.inBytes(table, Buffer.from(text)))
    expect(linesOf(traces)).toEqual([])
    const sent = createSearch(Object.values(inClear))
    const tables = dumps
      .filter(({ table, text }) => sent.inBytes(table, Buffer.from(text)).length > 0)
      .map(({ table }) => table)
    // an alert contains its address and may not be expanded to deliveries yet
    const settled = tables.filter((table) => table !== 'postgres alert_messages')
    expect(settled.toSorted()).toEqual(['postgres checks', 'postgres deliveries'])
  })

  test('that was typed into a check is a secret of the account, and a target that wants it, a body and 6 s is up', () => {
    const { readings, trial, config } = made.typed
    expect(readings.map(({ verdict }) => verdict)).toEqual(['up', 'up'])
    expect(Math.min(...readings.map(({ latencyMs }) => latencyMs ?? 0))).toBeGreaterThanOrEqual(slowMs)
    expect(trial.readings.map(({ verdict }) => verdict)).toEqual(['up', 'up'])
    expect(JSON.stringify(trial)).toContain('welcome [secret ')
    expect(JSON.stringify(config)).toMatch(/"X-Api-Key","value":"{{ secret\.\w+ }}"/)
  })

  test('is not told by a backup, nor in its file', async () => {
    expect(backup).toMatchObject({ code: 0 })
    expect((await stat(join(folder, 'copy.backup'))).size).toBeGreaterThan(10_000)
    expect(linesOf(createSearch(given()).inBytes('the backup', Buffer.from(backup.said)))).toEqual([])
  })

  test('that a check sends shows as its name where the target echoes it', () => {
    const seen = echo.seen.join('\n')
    expect(seen.includes(account.checkKey)).toBe(true)
    expect(seen.includes(Buffer.from(`monitor:${account.checkKey}`).toString('base64'))).toBe(true)
    const shown = '[secret check_key]'
    expect(made.answers.some(({ text }) => text.includes(shown))).toBe(true)
    expect(dumps.filter(({ text }) => text.includes(shown)).map(({ table }) => table)).toContain(
      'clickhouse readings_raw',
    )
  })

  test('is in no file of the data directory, except files readable only by their owner', async () => {
    expect(await mesh.stop()).toBe(0)
    const traces = await createSearch(given()).inFiles(folder)
    expect(linesOf(traces)).toEqual([])
  })
})
