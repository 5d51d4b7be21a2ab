import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { expect, test } from 'vitest'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { createFactsOfChecks, factsAgeMsMax } from './check-facts.ts'

const sql = useTestSql()
let nowMs = 1_000_000
const create = () => createFactsOfChecks({ sql, tiers: tiersDefault, now: () => nowMs })

test('a failed look-up does not treat any check as deleted', async () => {
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  const factsOfChecks = create()
  await sql`alter table checks rename to checks_away`
  await expect(factsOfChecks.find([checkId])).rejects.toThrow('checks')
  await sql`alter table checks_away rename to checks`
  expect((await factsOfChecks.find([checkId])).has(checkId)).toBe(true)
})

test('caches a check for a few seconds only', async () => {
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  const factsOfChecks = create()
  await factsOfChecks.find([checkId])
  await sql`delete from checks where id = ${checkId}`
  nowMs += factsAgeMsMax
  expect((await factsOfChecks.find([checkId])).has(checkId)).toBe(true)
  nowMs += 1
  expect((await factsOfChecks.find([checkId])).has(checkId)).toBe(false)
})
