import type { Connection } from '../stores/postgres/connect.ts'

/**
 * The part of a statement that records flips and what is told of each, to live pages (`flip`) and to
 * the alert rules (`alert`): of rows named `flipped`, with `id, outbox_id, check_id, version,
 * from_status, to_status, reason, unconfirmed, none_up, at, payload`. Where the status stays, only the rules are told.
 */
export const keepFlipped = (connection: Connection, at: Date) => connection`
    kept as (
      insert into flips (id, check_id, version, from_status, to_status, reason, unconfirmed,
        none_up, at)
      select id, check_id, version, from_status, to_status, reason, unconfirmed, none_up, at
      from flipped
    ),
    told as (
      insert into outbox (id, kind, payload, created_at, next_attempt_at)
      select case kind when 'flip' then outbox_id else gen_random_uuid() end, kind, payload,
        ${at}::timestamptz, ${at}::timestamptz
      from flipped cross join unnest(array['flip', 'alert']) as kind
      where kind = 'alert' or from_status <> to_status
      order by at, version
    )`
