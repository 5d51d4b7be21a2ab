import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { CheckStatus } from '@probe-mesh/contracts/check/check'
import { ListedStatus } from '@probe-mesh/contracts/check/check-list'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { describeCheckStatus } from '../describe-check.ts'
import { useTestApp } from '../../app/testing/test-app.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import { newRegionState } from '../../status/state.ts'
import { findCheckPart } from './find-checks.ts'
import { findChecks } from '../../records/check/checks-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'

const at = useTestApp()

const nowMs = 1_800_000_000_000
const regions = ['iad', 'fra', 'nrt'] as const
const staleMs = staleAfterMs(60)

/** On both sides of every bound. */
const edge = (atMs: number) => fc.constantFrom(atMs - 1, atMs, atMs + 1)
const regionState = fc.record({
  verdict: fc.constantFrom('up' as const, 'down' as const, 'blocked' as const, null),
  measuredAt: fc.oneof(edge(nowMs - staleMs), fc.constant(0), fc.constant(nowMs)),
  withdrawnAt: fc.oneof(fc.constant(null), fc.constant(undefined), edge(nowMs)),
})
const anyCheck = fc.record({
  type: fc.constantFrom('http', 'heartbeat'),
  paused: fc.boolean(),
  interval: fc.constantFrom(60, 3_600),
  status: fc.constantFrom(...CheckStatus.options),
  own: fc.subarray([...regions], { minLength: 1 }),
  states: fc.dictionary(fc.constantFrom(...regions), regionState),
})

type Drawn = typeof anyCheck extends fc.Arbitrary<infer Value> ? Value : never

const insert = async (accountId: string, checks: readonly Drawn[]) => {
  await at.sql`delete from checks where account_id = ${accountId}`
  for (const [index, check] of checks.entries()) {
    const id = uuidv7(nowMs + index)
    const states = Object.entries(check.states).map(([region, state]) => [
      region,
      { ...newRegionState, ...state },
    ])
    await at.sql`
      insert into checks (id, account_id, type, name, interval_seconds, regions, all_regions,
        paused, config, valid_from, created_at, updated_at)
      values (${id}, ${accountId}, ${check.type}, ${`name ${index % 3}`}, ${check.interval},
        ${check.own}, false, ${check.paused}, ${at.sql.json({ type: 'unknown' })}, now(), now(),
        now())`
    await at.sql`
      insert into check_states (check_id, partition, status, regions)
      values (${id}, 0, ${check.status}, ${at.sql.json(Object.fromEntries(states))})`
  }
}

const unfiltered = {
  text: '',
  name: '',
  status: null,
  type: null,
  tag: null,
  owner: null,
  sort: 'status',
} as const

const order = ['down', 'degraded', 'stale', 'unknown', 'operational', 'paused']

const anyStatus = fc.constantFrom(null, ...ListedStatus.options)
const anyType = fc.constantFrom(null, 'http' as const, 'heartbeat' as const, 'tcp' as const)
const countsOf = (listed: readonly { status: string }[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status } of listed) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('the statement gives every check the status that all other reads give it, worst first', async () => {
  const { id } = await at.account('scale')
  const checks = fc.array(anyCheck, { maxLength: 12 })
  await forAllAsync([checks, anyStatus, anyType], { numRuns: 40 }, async (drawn, wanted, type) => {
    await insert(id, drawn)
    const all = await findChecks(at.systemSql, id)
    const listed = all
      .map((check) => ({
        id: check.id,
        name: check.name,
        type: check.type,
        status: check.paused ? 'paused' : describeCheckStatus(check, nowMs).status,
      }))
      .toSorted(
        (a, b) =>
          order.indexOf(a.status) - order.indexOf(b.status) ||
          Number(a.name > b.name) - Number(a.name < b.name) ||
          Number(a.id > b.id) - Number(a.id < b.id),
      )
    const find = (asked: { status: ListedStatus | null; type: typeof type }) =>
      inAccount(at.accountSql, id, (tx) =>
        findCheckPart(tx, id, { ...unfiltered, ...asked }, { part: 1, size: 100 }, nowMs),
      )
    const whole = await find({ status: null, type: null })
    expect(whole.ids).toEqual(listed.map((check) => check.id))
    expect(whole).toMatchObject({ found: listed.length })
    expect([whole.counts, whole.matching]).toEqual([countsOf(listed), countsOf(listed)])

    const ofType = listed.filter((check) => type === null || check.type === type)
    const found = ofType.filter(({ status }) => wanted === null || status === wanted)
    const part = await find({ status: wanted, type })
    expect(part.ids).toEqual(found.map((check) => check.id))
    expect(part).toMatchObject({ found: found.length, number: 1 })
    expect([part.counts, part.matching]).toEqual([countsOf(listed), countsOf(ofType)])
  })
})

test('pages make up the list, pages beyond the end are the last one, and texts have no wildcards', async () => {
  const { id } = await at.account('scale')
  const other = await at.account('scale')
  const check = { type: 'http', paused: false, interval: 60, status: 'down', states: {} } as const
  const own = [...regions]
  await insert(
    id,
    Array.from({ length: 7 }, () => ({ ...check, own })),
  )
  await insert(other.id, [{ ...check, own }])
  const find = (text: string, part: number, status: ListedStatus | null = null) =>
    inAccount(at.accountSql, id, (tx) =>
      findCheckPart(tx, id, { ...unfiltered, text, status }, { part, size: 3 }, nowMs),
    )
  const parts = [await find('', 1), await find('', 2), await find('', 3)]
  expect(parts.map(({ number, ids }) => [number, ids.length])).toEqual([
    [1, 3],
    [2, 3],
    [3, 1],
  ])
  expect(new Set(parts.flatMap(({ ids }) => ids)).size).toBe(7)
  expect(await find('', 4)).toEqual(parts[2])
  expect(await find(' NAME 2', 1)).toMatchObject({ found: 2, counts: { unknown: 7 } })
  expect(await find('HTTP', 1)).toMatchObject({ found: 7 })
  expect(await find('', 9, 'unknown')).toEqual(parts[2])
  const down = { found: 0, number: 1, ids: [], matching: { unknown: 2 } }
  expect(await find('name 2', 2, 'down')).toMatchObject(down)
  for (const none of ['%', '_', "'", '\\', 'e 2 ']) {
    expect(await find(`${none}x`, 9)).toMatchObject({ found: 0, number: 1, ids: [] })
  }
})
