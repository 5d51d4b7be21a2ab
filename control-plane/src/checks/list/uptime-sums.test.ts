import { CheckStatus } from '@probe-mesh/contracts/check/check'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { useTestApp } from '../../app/testing/test-app.ts'
import { uptimeWindowsMs } from '@probe-mesh/contracts/check/uptime-by-age'
import { shareOf, uptimeOf } from '../../status/uptime.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { subjectsOf, sumUptimeOfAll, sumUptimes } from './uptime-sums-store.ts'

const at = useTestApp()

const nowMs = 1_800_000_000_000
const hourMs = 3_600_000
const { day, month } = uptimeWindowsMs

/** Hours before now: on both sides of each window, and often at one instant. */
const hours = fc.integer({ min: -2, max: 40 * 24 })
const aCheck = fc.record({
  isHeartbeat: fc.boolean(),
  flips: fc.array(
    fc.record({
      hoursAgo: fc.oneof(hours, fc.integer({ min: 0, max: 30 })),
      to: fc.constantFrom(...CheckStatus.options),
      noneUp: fc.boolean(),
    }),
    { maxLength: 12 },
  ),
  knownForHours: hours,
  paused: fc.array(
    fc.record({ hoursAgo: hours, hours: fc.integer({ min: 1, max: 300 }), isOver: fc.boolean() }),
    {
      maxLength: 3,
    },
  ),
})
const anOutage = fc.record({ hoursAgo: hours, hours: fc.integer({ min: 1, max: 50 }) })

test('the database adds up the same uptime as the rule over one check', async () => {
  const { id: accountId } = await at.account('scale')
  await forAllAsync(
    [fc.array(aCheck, { minLength: 1, maxLength: 5 }), fc.array(anOutage, { maxLength: 2 })],
    { numRuns: 60 },
    async (drawn, silences) => {
      await at.sql`delete from checks where account_id = ${accountId}`
      const outages = silences.map(({ hoursAgo, hours: length }) => ({
        fromMs: nowMs - hoursAgo * hourMs,
        toMs: nowMs - (hoursAgo - length) * hourMs,
      }))
      const checks = drawn.map((one, index) => {
        const flips = one.flips
          .toSorted((a, b) => b.hoursAgo - a.hoursAgo)
          .map(({ to, hoursAgo, noneUp }) => ({
            from: 'unknown' as const,
            to,
            atMs: nowMs - hoursAgo * hourMs,
            noneUp: noneUp && to === 'degraded',
          }))
        const paused = one.paused.map(({ hoursAgo, hours: length, isOver }) => ({
          fromMs: nowMs - hoursAgo * hourMs,
          toMs: isOver ? nowMs - (hoursAgo - length) * hourMs : null,
        }))
        return {
          id: uuidv7(nowMs + index),
          isHeartbeat: one.isHeartbeat,
          knownUntilMs: nowMs - Math.max(0, one.knownForHours) * hourMs,
          flips,
          paused,
        }
      })
      for (const check of checks) await insertCheck(accountId, check)

      const windowsMs = [month, day] as const
      const { sums, all } = await inAccount(at.accountSql, accountId, async (tx) => ({
        sums: await sumUptimes(tx, subjectsOf(tx, checks), { windowsMs: [...windowsMs], nowMs }, outages),
        all: await sumUptimeOfAll(tx, subjectsOf(tx, checks), { windowMs: month, nowMs }, outages),
      }))

      for (const { id, flips, knownUntilMs, isHeartbeat, paused } of checks) {
        const unwatched = [
          ...paused.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? nowMs })),
          ...(isHeartbeat ? outages : []),
        ]
        const expected = uptimeOf({ flips, knownUntilMs, unwatched }, nowMs)
        const [ofMonth, ofDay] = sums.get(id) ?? [none, none]
        const shares = { month: shareOf(ofMonth ?? none, month), day: shareOf(ofDay ?? none, day) }
        expect({ month: shares.month.value, day: shares.day.value }).toEqual({
          month: expected.uptime.month,
          day: expected.uptime.day,
        })
        expect({ month: shares.month.share, day: shares.day.share }).toEqual({
          month: expected.measuredShare.month,
          day: expected.measuredShare.day,
        })
      }
      const total = [...sums.values()].map(([ofMonth]) => ofMonth ?? none)
      expect(all).toEqual({
        measuredMs: total.reduce((sum, { measuredMs }) => sum + measuredMs, 0),
        downMs: total.reduce((sum, { downMs }) => sum + downMs, 0),
      })
    },
  )
})

const none = { measuredMs: 0, downMs: 0 }

const insertCheck = async (
  accountId: string,
  {
    id,
    flips,
    paused,
  }: {
    id: string
    flips: readonly { from: CheckStatus; to: CheckStatus; atMs: number; noneUp: boolean }[]
    paused: readonly { fromMs: number; toMs: number | null }[]
  },
): Promise<void> => {
  await at.sql`
    insert into checks (id, account_id, type, name, interval_seconds, regions, all_regions, config,
      valid_from, created_at, updated_at)
    values (${id}, ${accountId}, 'http', 'one', 60, '{fra}', false, '{"type":"http"}', now(), now(), now())`
  for (const [index, { from, to, atMs, noneUp }] of flips.entries()) {
    await at.sql`
      insert into flips (id, check_id, version, from_status, to_status, none_up, at)
      values (${uuidv7(nowMs)}, ${id}, ${index + 1}, ${from}, ${to}, ${noneUp}, ${new Date(atMs)})`
  }
  for (const [index, { fromMs, toMs }] of paused.entries()) {
    await at.sql`
      insert into check_revisions (check_id, revision, valid_from, valid_to, regions, interval_seconds, paused)
      values (${id}, ${index + 1}, ${new Date(fromMs)}, ${toMs === null ? null : new Date(toMs)}, '{fra}', 60,
        true)`
  }
}
