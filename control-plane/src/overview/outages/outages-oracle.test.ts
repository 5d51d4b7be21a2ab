import { CheckStatus } from '@probe-mesh/contracts/check/check'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Outage, Outages } from '@probe-mesh/contracts/overview/outage-log'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { useTestApp } from '../../app/testing/test-app.ts'
import { asUser, loggedIn } from '../../app/testing/log-in.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import { newRegionState } from '../../status/state.ts'
import type { Sql } from '../../stores/postgres/connect.ts'

/** The outage log against a walk over every minute of every check, written from the words of the contract. */

const minuteMs = 60_000
const minutes = 60

let nowMs: number
const at = useTestApp({ config: { budgetScale: 100_000 } })
const user = useOnce(() => loggedIn(at))

const aFlip = fc.record({
  minute: fc.integer({ min: 0, max: minutes - 3 }),
  to: fc.oneof(fc.constant('down' as const), fc.constantFrom(...CheckStatus.options)),
  noneUp: fc.boolean(),
})
const aCheck = fc.record({
  flips: fc.uniqueArray(aFlip, { maxLength: 14, selector: ({ minute }) => minute }),
  pauses: fc.array(
    fc.record({ minute: fc.integer({ min: 0, max: minutes - 10 }), length: fc.integer({ min: 1, max: 8 }) }),
    { maxLength: 2 },
  ),
  /** Paused since the end of its flips. */
  isPaused: fc.boolean(),
  /** Whether its newest reading is fresh. */
  isFresh: fc.boolean(),
})
type Drawn = typeof aCheck extends fc.Arbitrary<infer Value> ? Value : never
type Seeded = Drawn & { id: string; sorted: (Drawn['flips'][number] & { id: string })[] }

const msOf = (minute: number): number => nowMs - (minutes - minute) * minuteMs
const isNoneUp = ({ to, noneUp }: Pick<Drawn['flips'][number], 'to' | 'noneUp'>): boolean =>
  noneUp && to === 'degraded'

type Expected = Pick<Outage, 'id' | 'checkId' | 'startedAt' | 'endedAt' | 'status' | 'durationSeconds'>

/** Walks over the minutes of a check. */
const walk = (check: Seeded): Expected[] => {
  const iso = (minute: number): string => new Date(msOf(minute)).toISOString()
  const found: (Expected & { isOpen: boolean })[] = []
  const pausedFrom = check.isPaused ? minutes - 2 : Number.POSITIVE_INFINITY
  for (let minute = 0; minute < minutes; minute++) {
    const flip = check.sorted.find((one) => one.minute === minute)
    const open = found.find(({ isOpen }) => isOpen)
    if (flip?.to === 'down' && open === undefined) {
      found.push({
        id: flip.id,
        checkId: check.id,
        startedAt: iso(minute),
        endedAt: null,
        status: 'down',
        durationSeconds: 0,
        isOpen: true,
      })
    }
    const isGood = flip?.to === 'operational' || (flip?.to === 'degraded' && !isNoneUp(flip))
    if (isGood && open !== undefined)
      Object.assign(open, { isOpen: false, endedAt: iso(minute), status: 'ended' })
    const now = check.sorted.findLast((one) => one.minute <= minute)?.to
    const isPaused =
      minute >= pausedFrom ||
      check.pauses.some((pause) => pause.minute <= minute && minute < pause.minute + pause.length)
    const current = found.find(({ isOpen }) => isOpen)
    const isKnown = check.isFresh || check.sorted.some((one) => one.minute > minute)
    if (now === 'down' && !isPaused && isKnown && current !== undefined) current.durationSeconds += 60
  }
  const last = check.sorted.at(-1)?.to
  return found.map(({ isOpen, ...outage }) => {
    if (!isOpen) return outage
    if (check.isPaused) return { ...outage, endedAt: iso(minutes - 2), status: 'ended' }
    return { ...outage, status: last === 'down' && check.isFresh ? 'down' : 'unmeasured' }
  })
}

const inOrder = (a: Expected, b: Expected): number =>
  Number(a.endedAt !== null) - Number(b.endedAt !== null) ||
  Date.parse(b.startedAt) - Date.parse(a.startedAt) ||
  (a.id < b.id ? 1 : -1)

const seedAll = async (sql: Sql, accountId: string, drawn: readonly Drawn[]): Promise<Seeded[]> => {
  await sql`delete from checks where account_id = ${accountId}`
  const checks: Seeded[] = []
  for (const one of drawn) {
    const id = uuidv7(nowMs)
    const sorted = one.flips
      .toSorted((a, b) => a.minute - b.minute)
      .map((flip) => ({ ...flip, id: uuidv7(nowMs) }))
    const validFrom = new Date(one.isPaused ? msOf(minutes - 2) : msOf(0))
    await sql`
      insert into checks (id, account_id, type, name, interval_seconds, regions, all_regions, config, paused,
        valid_from, created_at, updated_at)
      values (${id}, ${accountId}, 'http', 'one', 3600, '{fra}', false, '{"type":"http"}', false,
        ${validFrom}, now(), now())`
    // its newest reading counts until now, or only until its last flip
    const measuredAt = one.isFresh ? nowMs : msOf(sorted.at(-1)?.minute ?? 0) - staleAfterMs(3_600)
    const states = { fra: { ...newRegionState, verdict: 'down', measuredAt } }
    await sql`
      insert into check_states (check_id, partition, status, version, regions)
      values (${id}, 1, ${sorted.at(-1)?.to ?? 'unknown'}, ${sorted.length}, ${sql.json(states as never)})`
    const pauses = [
      ...one.pauses.map(({ minute, length }) => [msOf(minute), msOf(minute + length)] as const),
      ...(one.isPaused ? [[msOf(minutes - 2), null] as const] : []),
    ]
    for (const [index, [from, to]] of pauses.entries()) {
      await sql`
        insert into check_revisions (check_id, revision, valid_from, valid_to, regions, interval_seconds, paused)
        values (${id}, ${index + 1}, ${new Date(from)}, ${to === null ? null : new Date(to)}, '{fra}', 3600, true)`
    }
    checks.push({ ...one, id, sorted })
  }
  return checks
}

/** Several statements, each with flips of all checks in any order: how assessors write them. */
const insertFlips = async (sql: Sql, checks: readonly Seeded[], batches: number): Promise<void> => {
  for (let batch = 0; batch < batches; batch++) {
    const rows = checks.flatMap(({ id, sorted }) =>
      sorted.flatMap((flip, index) =>
        Math.floor((index * batches) / sorted.length) === batch
          ? [
              {
                id: flip.id,
                check_id: id,
                version: index + 1,
                from_status: sorted[index - 1]?.to ?? 'unknown',
                to_status: flip.to,
                none_up: isNoneUp(flip),
                at: new Date(msOf(flip.minute)).toISOString(),
              },
            ]
          : [],
      ),
    )
    await sql`
      insert into flips (id, check_id, version, from_status, to_status, none_up, at)
      select id, check_id, version, from_status, to_status, none_up, at
      from jsonb_to_recordset(${sql.json(rows)}) as f (id uuid, check_id uuid, version integer, from_status text,
        to_status text, none_up boolean, at timestamptz)
      order by md5(id::text)`
  }
}

const readAll = async (query: string): Promise<Expected[]> => {
  const found: Outage[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`
    const answer = await asUser(at, user, 'GET', `/outages?limit=3${query}${next}`)
    expect(answer.status, answer.text).toBe(200)
    const { outages, nextCursor } = answer.json as Outages
    found.push(...outages)
    cursor = nextCursor
    expect(found.length).toBeLessThan(200)
  }
  return found.map(({ id, checkId, startedAt, endedAt, status, durationSeconds }) => ({
    id,
    checkId,
    startedAt,
    endedAt,
    status,
    durationSeconds,
  }))
}

test('the log has every outage that a walk over all minutes finds, once, with its time down', async () => {
  at.hold()
  nowMs = at.now()
  await forAllAsync(
    [fc.array(aCheck, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 4 })],
    { numRuns: 60 },
    async (drawn, batches) => {
      const checks = await seedAll(at.sql, user.accountId, drawn)
      await insertFlips(at.systemSql, checks, batches)
      const paused = checks.flatMap(({ id, isPaused }) => (isPaused ? [id] : []))
      await at.sql`update checks set paused = true where id = any(${paused}::uuid[])`
      const expected = checks.flatMap(walk).toSorted(inOrder)
      expect(await readAll('')).toEqual(expected)

      expect(await readAll('&open=true')).toEqual(expected.filter(({ endedAt }) => endedAt === null))
      expect(await readAll('&open=false')).toEqual(expected.filter(({ endedAt }) => endedAt !== null))
      const [one] = checks
      expect(await readAll(`&checkId=${one?.id}`)).toEqual(
        expected.filter(({ checkId }) => checkId === one?.id),
      )
      const [fromMs, toMs] = [msOf(20), msOf(40)]
      const span = `&from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`
      expect(await readAll(span)).toEqual(
        expected.filter(
          ({ startedAt, endedAt }) =>
            Date.parse(startedAt) < toMs && (endedAt === null || Date.parse(endedAt) > fromMs),
        ),
      )
    },
  )
})
