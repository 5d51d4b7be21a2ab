import { hash } from 'node:crypto'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createAccount } from '@probe-mesh/control-plane/login/create-account'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { insertSession } from '@probe-mesh/control-plane/src/login/sessions-store'
import { newRegionState } from '@probe-mesh/control-plane/src/status/state'

export const checkCount = 10_000
/** Checks of other accounts, which show how the list grows. */
const smallerCounts = [100, 1_000] as const
export const components = 20
export const slug = 'bench-page'
const dayMs = 86_400_000
/** A session may read 600 times a minute, so that a load needs many. */
const sessionCount = 500

export type Filled = {
  accountId: string
  /** `Cookie` headers, each of another session. */
  cookies: string[]
  /** Any of the checks. */
  checkId: string
  /** Of each of `smallerCounts`, with sessions of its own. */
  smaller: { count: number; cookies: string[] }[]
}

/** Creates an account with 10,000 checks, each fresh in four regions, and a status page of 90 days. */
export const fill = async (sql: Sql, clickhouse: ClickHouse): Promise<Filled> => {
  const now = Date.now()
  const accountId = await openAccount(sql, 'bench')
  const ids = await insertChecks(sql, accountId, { now, from: 0, count: checkCount })
  const smaller: Filled['smaller'] = []
  let from = checkCount
  for (const count of smallerCounts) {
    const id = await openAccount(sql, `bench-${count}`)
    await insertChecks(sql, id, { now, from, count })
    smaller.push({ count, cookies: await openSessions(sql, id, now) })
    from += count
  }
  await measureAll(sql, now, 0)
  await publish(sql, accountId, ids.slice(0, components), now)
  await insertTrends(clickhouse)
  await sql`analyze`
  const cookies = await openSessions(sql, accountId, now)
  return { accountId, cookies, checkId: ids[0] ?? '', smaller }
}

const openAccount = async (sql: Sql, name: string): Promise<string> => {
  const made = await createAccount(
    { sql, now: Date.now },
    { name, email: `${name}@example.org`, password: 'correct horse battery', tier: 'scale' },
  )
  if (isRefusal(made)) throw new Error(made.message)
  return made.id
}

const insertChecks = async (
  sql: Sql,
  accountId: string,
  { now, from, count }: { now: number; from: number; count: number },
): Promise<string[]> => {
  const validFrom = new Date(now - 100 * dayMs)
  await sql`
    insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions,
      config, valid_from, created_at, updated_at)
    select ('018f0000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${accountId}, 'http',
      'check ' || md5(n::text), 'https://' || md5(n::text) || '.example.org/health', 60,
      ${[...regionsDefault]}, true, '{"type":"http"}', ${validFrom}, ${validFrom}, ${validFrom}
    from generate_series(${from}::int, ${from + count - 1}::int) n`
  await sql`
    insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused)
    select id, revision, valid_from, regions, interval_seconds, paused from checks
    where account_id = ${accountId}`
  await sql`
    insert into check_states (check_id, partition, status)
    select id, 1, case when name < 'check 1' then 'down' when name < 'check 2' then 'degraded'
      else 'operational' end from checks where account_id = ${accountId}`
  const rows = await sql<{ id: string }[]>`
    select id from checks where account_id = ${accountId} order by id`
  return rows.map(({ id }) => id)
}

/**
 * Gives every check a state that stays fresh for an hour.
 * @param staleShare the share of the checks whose state is a day old instead
 */
export const measureAll = async (sql: Sql, now: number, staleShare: number): Promise<void> => {
  const statesAt = (measuredAt: number) =>
    Object.fromEntries(
      regionsDefault.map((region) => [
        region,
        {
          ...newRegionState,
          verdict: 'up',
          latencyMs: 181.4,
          timings: { dnsMs: 2.1, connectMs: 19.8, tlsMs: 31.4, ttfbMs: 120.2, transferMs: 7.9 },
          measuredAt,
          goods: 2,
        },
      ]),
    )
  const stale = sql.json(statesAt(now - dayMs) as never)
  await sql`update check_states set regions = ${sql.json(statesAt(now + 3_600_000) as never)}`
  await sql`
    update check_states set regions = ${stale}
    where ('x' || right(check_id::text, 12))::bit(48)::bigint
      < ${Math.round(checkCount * staleShare)}`
  await sql`vacuum analyze check_states`
}

/** Creates a status page with ten outages of an hour per component in 90 days, and one incident a week. */
const publish = async (sql: Sql, accountId: string, ids: readonly string[], now: number): Promise<void> => {
  const pageId = uuidv7(now)
  const at = new Date(now - 95 * dayMs)
  await sql`
    insert into status_pages (id, account_id, name, slug, theme_preset, font, locale, created_at,
      updated_at)
    values (${pageId}, ${accountId}, 'Bench', ${slug}, 'system', 'system', 'en', ${at}, ${at})`
  await sql`
    insert into components (id, account_id, status_page_id, check_id, display_name, description,
      created_at, updated_at)
    select gen_random_uuid(), ${accountId}, ${pageId}, id, 'Component ' || right(id::text, 2),
      'What people use of it, and what it is for.', ${at}, ${at}
    from unnest(${[...ids]}::uuid[]) id`
  await sql`
    insert into flips (id, check_id, version, from_status, to_status, at)
    select gen_random_uuid(), id, n,
      case when n = 1 then 'unknown' when n % 2 = 0 then 'operational' else 'down' end,
      case when n % 2 = 0 then 'down' else 'operational' end,
      ${at}::timestamptz + make_interval(hours => (n / 2) * 190 + (n % 2) * 1
        + (('x' || right(id::text, 2))::bit(8)::int * 24 * n) % 150)
    from unnest(${[...ids]}::uuid[]) id, generate_series(1, 21) n`
  for (let week = 0; week < 12; week++) {
    const [id, started] = [uuidv7(now + week), new Date(now - (week * 7 + 1) * dayMs)]
    await sql`
      insert into incidents (id, account_id, status_page_id, check_id, region, title, status, source,
        started_at, resolved_at, created_at)
      values (${id}, ${accountId}, ${pageId}, ${ids[week] ?? ''}, 'fra', 'Slow answers from Europe',
        'resolved', 'manual', ${started}, ${new Date(started.getTime() + 3_600_000)}, ${started})`
    await sql`
      insert into incident_updates (id, account_id, incident_id, status, body, created_at)
      values (gen_random_uuid(), ${accountId}, ${id}, 'resolved',
        'A link was overloaded. It has been doubled, and answers are as fast as before.', ${started})`
  }
}

/** Stores one reading per hour, check and region for a day: the sparklines are drawn from them. */
const insertTrends = async (clickhouse: ClickHouse): Promise<void> => {
  for (const region of regionsDefault) {
    await clickhouse.command({
      query: `
        insert into readings_raw (check_id, region, slot, kind, number, verdict, fault, cause,
          http_status, latency_ms, measured_at, received_at, agent, raw_days, hour_days)
        select toUUID(concat('018f0000-0000-7000-8000-', leftPad(lower(hex(n.number)), 12, '0'))),
          '${region}', now64(3) - toIntervalHour(h.number), 'scheduled', 0,
          if(cityHash64(n.number, h.number) % 50 = 0, 'down', 'up'), 'none', 'ok', 200,
          50 + cityHash64(h.number, n.number) % 200, now64(3) - toIntervalHour(h.number), now64(3),
          'bench', 30, 400
        from numbers(${checkCount + smallerCounts.reduce((sum, count) => sum + count, 0)}) as n cross join numbers(24) as h`,
    })
  }
}

const openSessions = async (sql: Sql, accountId: string, now: number): Promise<string[]> => {
  const [user] = await sql<{ id: string }[]>`select id from users where account_id = ${accountId}`
  const cookies: string[] = []
  for (let n = 0; n < sessionCount; n++) {
    const token = hash('sha256', `session ${n} of ${accountId}`, 'base64url')
    const session = {
      id: uuidv7(now + n),
      accountId,
      userId: user?.id ?? '',
      openedBy: 'password' as const,
      createdAtMs: now,
      lastSeenAtMs: now,
      expiresAtMs: now + dayMs,
      address: '127.0.0.1',
      userAgent: 'bench',
    }
    await insertSession(sql, session, hash('sha256', token, 'buffer'))
    cookies.push(`__Host-session=${token}`)
  }
  return cookies
}
