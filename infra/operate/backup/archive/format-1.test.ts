import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { expect, test } from 'vitest'
import { createTestClickHouse } from '../../../testing/clickhouse.ts'
import { testFolder } from '../../../testing/folder.ts'
import { databaseName, withDatabase } from '../../../testing/database-name.ts'
import { createTestDatabase } from '../../../testing/postgres.ts'
import { adminLine } from '../../admin/testing/admin-line.ts'

/** A backup that the build of 2026-11-30 made, before archives were tar: one account and five readings. */
const old = join(import.meta.dirname, 'testing/format-1.backup')
const key = 'correct horse battery staple'
const folder = testFolder('probe-mesh-format-1-')

const restore = (from: string, over: Record<string, string>) => {
  const environment = { BACKUP_KEY: key, DATA_DIR: join(folder, 'data'), NATS_KEYS: join(folder, 'nats') }
  return adminLine(`restore --from ${from}`, { ...environment, ...over })
}

test('restores a backup of the former format into this version', { timeout: 60_000 }, async () => {
  const [database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  // without migrations: the backup has fewer than this version, and the restore adds the others
  const name = databaseName()
  const server = connectPostgres(database.url, { connectionsMax: 1 })
  await server`create database ${server(name)}`
  const url = withDatabase(database.url, name)
  const sql = connectPostgres(url, { connectionsMax: 1 })
  const clickhouse = connectClickHouse(store.url)
  try {
    const done = await restore(old, { DATABASE_URL: url, CLICKHOUSE_URL: store.url })
    expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^restored as of 2026-11-30/) })
    expect(await sql`select name from accounts`).toEqual([{ name: 'Kept' }])
    const rows = await clickhouse.query({
      query: 'select toInt32(count()) as n, sum(latency_ms) as ms from readings_raw',
      format: 'JSONEachRow',
    })
    expect(await rows.json()).toEqual([{ n: 5, ms: expect.closeTo(1, 3) }])
    expect(await readFile(join(folder, 'data/secrets.key'), 'utf8')).toMatch(/^a secret of 32/)
  } finally {
    await Promise.all([sql.end(), clickhouse.close()])
    await server`drop database ${server(name)} with (force)`
    await server.end()
    await Promise.all([database.close(), store.close()])
  }
})

test('refuses one that is truncated, changed, or of another key', { timeout: 60_000 }, async () => {
  const whole = await readFile(old)
  const changed = Buffer.from(whole)
  changed[9_000] = (changed[9_000] ?? 0) ^ 1
  const cases: [string, Uint8Array, RegExp][] = [
    ['cut', whole.subarray(0, -100), /is damaged: the file is truncated. Use another backup/],
    ['changed', changed, /is damaged: the file was changed at byte \d+ or later/],
    ['longer', Buffer.concat([whole, Buffer.of(0)]), /was changed at byte 17199/],
    ['header', whole.subarray(0, 40), /has a damaged header/],
  ]
  for (const [name, bytes, problem] of cases) {
    const path = join(folder, name)
    await writeFile(path, bytes)
    expect(await restore(path, {}), name).toMatchObject({ code: 1, error: expect.stringMatching(problem) })
  }
  const other = await restore(old, { BACKUP_KEY: `${key}!` })
  expect(other).toMatchObject({ code: 1, error: expect.stringMatching(/written with another key/) })
})
