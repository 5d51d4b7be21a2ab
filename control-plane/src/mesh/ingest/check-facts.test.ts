import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { expect, test } from 'vitest'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { createDirectory, factsAgeMsMax } from './check-facts.ts'

const sql = useTestSql()
let nowMs = 1_000_000
const create = () => createDirectory({ sql, tiers: tiersDefault, now: () => nowMs })

test('a failed look-up does not treat any check as deleted', async () => {
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  const directory = create()
  await sql`alter table checks rename to checks_away`
  await expect(directory.find([checkId])).rejects.toThrow('checks')
  await sql`alter table checks_away rename to checks`
  expect((await directory.find([checkId])).has(checkId)).toBe(true)
})

test('caches a check for a few seconds only', async () => {
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  const directory = create()
  await directory.find([checkId])
  await sql`delete from checks where id = ${checkId}`
  nowMs += factsAgeMsMax
  expect((await directory.find([checkId])).has(checkId)).toBe(true)
  nowMs += 1
  expect((await directory.find([checkId])).has(checkId)).toBe(false)
})
