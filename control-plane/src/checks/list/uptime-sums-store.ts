import { flipsMax } from '../../status/flips-store.ts'
import type { Span } from '../../status/spans.ts'
import type { Fragment, Transaction } from '../../stores/postgres/connect.ts'

/** A part of a statement: `check_id uuid, known_until timestamptz, is_heartbeat boolean`. */
export type Subjects = Fragment

/** The measured and the down time of a check in one window, milliseconds. */
export type UptimeSum = { measuredMs: number; downMs: number }

/** The subjects that are known in this process. */
export const subjectsOf = (
  tx: Transaction,
  checks: readonly { id: string; knownUntilMs: number; isHeartbeat: boolean }[],
): Subjects => {
  const rows = checks.map(({ id, knownUntilMs, isHeartbeat }) => ({
    check_id: id,
    known_until: new Date(knownUntilMs).toISOString(),
    is_heartbeat: isHeartbeat,
  }))
  return tx`
    select * from jsonb_to_recordset(${tx.json(rows)})
      as s (check_id uuid, known_until timestamptz, is_heartbeat boolean)`
}

/**
 * The measured and the down time of each subject in each window before `nowMs`, by the rule of `uptimeOf`: a test
 * compares the two. The database adds up, so that the flips of many checks are never in memory. A check without
 * measured time is left out.
 * @param windowsMs lengths, longest first
 * @param heartbeatOutages when no ping could be received
 */
export const sumUptimes = async (
  tx: Transaction,
  subjects: Subjects,
  { windowsMs, nowMs }: { windowsMs: readonly [number, ...number[]]; nowMs: number },
  heartbeatOutages: readonly Span[],
): Promise<Map<string, UptimeSum[]>> => {
  const rows = await tx<{ check_id: string; measured: number[]; down: number[] }[]>`
    ${uptimeSums(tx, subjects, { windowsMs, nowMs }, heartbeatOutages)}
    select check_id, array_agg(measured order by number) as measured,
      array_agg(down order by number) as down
    from summed group by check_id`
  return new Map(
    rows.map((row) => [
      row.check_id,
      row.measured.map((measuredMs, index) => ({ measuredMs, downMs: row.down[index] ?? 0 })),
    ]),
  )
}

/** The sums of all subjects together, of one window. */
export const sumUptimeOfAll = async (
  tx: Transaction,
  subjects: Subjects,
  { windowMs, nowMs }: { windowMs: number; nowMs: number },
  heartbeatOutages: readonly Span[],
): Promise<UptimeSum> => {
  const [row] = await tx<UptimeSum[]>`
    ${uptimeSums(tx, subjects, { windowsMs: [windowMs], nowMs }, heartbeatOutages)}
    select coalesce(sum(measured), 0)::float8 as "measuredMs", coalesce(sum(down), 0)::float8 as "downMs"
    from summed`
  return row ?? { measuredMs: 0, downMs: 0 }
}

/** The start of a statement; its last part is `summed (check_id, number, measured, down)`. */
const uptimeSums = (
  tx: Transaction,
  subjects: Subjects,
  { windowsMs, nowMs }: { windowsMs: readonly [number, ...number[]]; nowMs: number },
  heartbeatOutages: readonly Span[],
) => {
  const now = new Date(nowMs)
  const since = new Date(nowMs - windowsMs[0])
  const silences = heartbeatOutages.map(({ fromMs, toMs }) => ({
    from_at: new Date(fromMs).toISOString(),
    to_at: new Date(toMs).toISOString(),
  }))
  return tx`
    with subject as materialized (${subjects}),
    flip as (
      select subject.check_id, known_until, to_status, none_up, at, lag(at) over newest as next_at,
        row_number() over newest as place
      from subject cross join lateral (
        (select to_status, none_up, at, version from flips
          where check_id = subject.check_id and at >= ${since}
          order by at desc, version desc limit ${flipsMax})
        union all
        (select to_status, none_up, at, version from flips
          where check_id = subject.check_id and at < ${since}
          order by at desc, version desc limit 1)) as read
      window newest as (partition by subject.check_id order by at desc, version desc)
    ),
    span as (
      select check_id, to_status = 'down' as is_down, greatest(at, ${since}) as from_at,
        least(next_at, known_until, ${now}) as to_at
      from flip where place <= ${flipsMax} and to_status not in ('unknown', 'stale') and not none_up
    ),
    known as (
      select check_id, range_agg(tstzrange(from_at, to_at)) as spans,
        coalesce(range_agg(tstzrange(from_at, to_at)) filter (where is_down), '{}'::tstzmultirange) as down
      from span where from_at < to_at group by check_id
    ),
    unwatched as (
      select check_id, range_agg(span) as spans from (
        select check_id, tstzrange(valid_from, valid_to) as span
        from subject join check_revisions using (check_id)
        where paused and (valid_to is null or valid_to >= ${since})
        union all
        select check_id, tstzrange(from_at, to_at)
        from subject cross join jsonb_to_recordset(${tx.json(silences)})
          as silence (from_at timestamptz, to_at timestamptz)
        where is_heartbeat and to_at >= ${since}) as span
      group by check_id
    ),
    summed as (
      select check_id, number, lengths.measured, lengths.down
      from known left join unwatched using (check_id)
        cross join unnest(${[...windowsMs]}::float8[]) with ordinality as asked (length_ms, number)
        cross join lateral (
          select tstzmultirange(tstzrange(${now}::timestamptz
              - make_interval(secs => asked.length_ms / 1000), ${now}))
            - coalesce(unwatched.spans, '{}'::tstzmultirange) as watched) as allowed
        cross join lateral (
          select
            (select coalesce(sum(extract(epoch from upper(span) - lower(span))), 0) * 1000
              from unnest(known.spans * watched) as span)::float8 as measured,
            (select coalesce(sum(extract(epoch from upper(span) - lower(span))), 0) * 1000
              from unnest(known.down * watched) as span)::float8 as down) as lengths
    )`
}
