import type { Factor } from '@probe-mesh/contracts/outage/answers'
import type { OpenIncident } from '../../public-answers/open-incident.ts'
import { factorKey } from '../../public-answers/shared-factors.ts'
import { regionViews } from '../../status/region-status.ts'
import { newCheckState, type CheckState } from '../../status/state.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'
import type { Connection, Sql } from '../../stores/postgres/connect.ts'
import type { AccountEvidence } from './shared-cause.ts'

/** The providers of a check in one region; null: not seen, so that what is stored stays. */
export type SeenProviders = {
  checkId: string
  region: string
  /** Empty: an answer without a mark. */
  cdn: string | null
  dns: string | null
  seenAtMs: number
}

/** Rows are written again well before they are this old. */
const countsMs = 2 * 86_400_000
/** Failing checks that are compared, the newest failures first. */
const failingMax = 1_000

/** Stores what was seen last. Checks that are deleted are skipped. */
export const saveProviders = async (sql: Sql, seen: readonly SeenProviders[]): Promise<void> => {
  const rows = seen.map(({ checkId, region, cdn, dns, seenAtMs }) => ({
    check_id: checkId,
    region,
    cdn,
    dns,
    seen_at: new Date(seenAtMs),
  }))
  await sql`
    insert into check_providers as kept (check_id, region, cdn, dns, seen_at)
    select new.check_id, region, cdn, dns, seen_at
    from jsonb_to_recordset(${sql.json(rows as never)}) as new (check_id uuid, region text, cdn text, dns text,
        seen_at timestamptz)
      join (select id from checks where id = any(${seen.map(({ checkId }) => checkId)}::uuid[])
        order by id for key share) as present on present.id = new.check_id
    order by new.check_id, region
    on conflict (check_id, region) do update set cdn = coalesce(excluded.cdn, kept.cdn), dns = coalesce(excluded.dns, kept.dns),
      seen_at = excluded.seen_at
    where excluded.seen_at > kept.seen_at`
}

/**
 * What the checks of an account show now. Paused checks do not count. Without a provider of a failing check no
 * cause can be named, so that the rest is not read.
 * @param readIncidents reads what the catalog shows
 */
export const findEvidence = async (
  db: Connection,
  accountId: string,
  readIncidents: () => Promise<readonly OpenIncident[]>,
  nowMs: number,
): Promise<AccountEvidence> => {
  const from = new Date(nowMs - countsMs)
  const factors = (column: string) => db`
    coalesce((select array_agg(distinct ${db(column)}) from check_providers
      where check_providers.check_id = checks.id and ${db(column)} <> '' and seen_at > ${from}), '{}')`
  const failing = await db<
    {
      id: string
      sinceMs: number
      cdns: string[]
      dns: string[]
      regions: string[]
      intervalSeconds: number
      states: CheckState['regions']
    }[]
  >`
    select checks.id, ${epochMs(db, 'status_since')} as "sinceMs", ${factors('cdn')} as cdns, ${factors('dns')} as dns,
      checks.regions, interval_seconds as "intervalSeconds", check_states.regions as states
    from checks join check_states on check_states.check_id = checks.id
    where account_id = ${accountId} and not paused and status = 'down' and status_since is not null
    order by status_since desc, checks.id limit ${failingMax}`
  if (!failing.some(({ cdns, dns }) => cdns.length + dns.length > 0)) {
    return { failing: [], healthy: { count: 0, withFactor: new Map() }, incidents: [] }
  }
  const incidents = await readIncidents()
  const healthy = await db<{ cdn: string | null; count: number }[]>`
    with healthy as (
      select checks.id from checks join check_states on check_states.check_id = checks.id
      where account_id = ${accountId} and not paused and status = 'operational'
    )
    select null as cdn, count(*)::integer as count from healthy
    union all
    select cdn, count(distinct check_id)::integer from check_providers
    where check_id in (select id from healthy) and cdn <> '' and seen_at > ${from} group by cdn`
  const withFactor = healthy.flatMap(({ cdn, count }): [string, number][] =>
    cdn === null ? [] : [[factorKey({ kind: 'cdn', name: cdn }), count]],
  )
  return {
    failing: failing.map(({ id, sinceMs, cdns, dns, states, ...schedule }) => ({
      id,
      sinceMs,
      factors: [
        ...cdns.map((name): Factor => ({ kind: 'cdn', name })),
        ...dns.map((name): Factor => ({ kind: 'dns', name })),
      ],
      regions: regionViews(states ?? newCheckState.regions, schedule, nowMs).flatMap(({ region, status }) =>
        status === 'down' ? [region] : [],
      ),
    })),
    healthy: { count: healthy.find(({ cdn }) => cdn === null)?.count ?? 0, withFactor: new Map(withFactor) },
    incidents,
  }
}
