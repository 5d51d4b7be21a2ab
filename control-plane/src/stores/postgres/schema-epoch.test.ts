import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { migratePostgres } from './migrate.ts'
import { judgeEpoch, ownEpoch, readSchemaEpoch } from './schema-epoch.ts'

const database = useTestDatabase()
const sql = database.use({ connectionsMax: 1 })

test('the migrations set the epoch of this version, and accept the previous one', async () => {
  await sql.unsafe('drop schema public cascade; create schema public')
  expect(await readSchemaEpoch(sql)).toBe(null)
  await migratePostgres(sql)
  expect(await readSchemaEpoch(sql)).toEqual({ epoch: ownEpoch, least: ownEpoch - 1 })
})

test('serves a database one epoch newer, and refuses a newer one with what to do next', () => {
  expect(judgeEpoch(4, null)).toEqual({ ok: true, isNewer: false })
  expect(judgeEpoch(4, { epoch: 4, least: 3 })).toEqual({ ok: true, isNewer: false })
  expect(judgeEpoch(4, { epoch: 5, least: 4 })).toEqual({ ok: true, isNewer: true })
  expect(judgeEpoch(4, { epoch: 6, least: 5 })).toEqual({
    ok: false,
    problem: expect.stringMatching(
      /has epoch 6 and accepts control planes of epoch 5 or later, but this version has epoch 4\. Start the newer version.*restore a backup.*Nothing was changed/,
    ),
  })
})
