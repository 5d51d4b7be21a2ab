-- The migrations since 2026-11-29, each in a transaction of its own, under its name.

-- migration 0137-secret-readers.sql
-- The private agents that may open a secret. null: an earlier version stored it, and the next start sets it.
alter table secrets add column agents uuid[];

-- Where a secret may be sent, with scheme and port. null: as above. `hosts` says the same to earlier versions.
alter table secrets add column sent_to text[];

-- migration 0138-mesh-notice-regions.sql
-- A notice is about all regions of its fault; empty: of the one in `region`, as an earlier version wrote it.
alter table mesh_notices add column regions text[] not null default '{}';

-- migration 0148-control-plane-hosts.sql
-- Where a control plane runs and with which settings, for the doctor: host, port, pid, version, regions. A row
-- of a control plane that ended without a stop stays for a day, or until its host and port are used again.
alter table control_planes add column about jsonb;

-- migration 0150-told-before.sql
-- Whom an alert was sent to decides who gets its recovery, so every version has to record it. The versions before
-- 0071 do not, also while they run beside this one: a trigger does.
create function record_alerted_checks() returns trigger language plpgsql as $$
begin
  insert into alerted_checks (cause, account_id, check_id, event, at, since)
  select added.cause, added.account_id, added.check_id, added.message ->> 'event', sent_at,
    coalesce((added.message ->> 'since')::timestamptz, flips.at, sent_at)
  from added
    cross join lateral (
      select coalesce((added.message #>> '{content,at}')::timestamptz, added.created_at) as sent_at) as sent
    left join flips on flips.id = substring(added.cause from '^alert:[0-9a-f-]{36}:([0-9a-f-]{36}):')::uuid
  where added.message ->> 'event' is not null
  on conflict (cause) do nothing;
  return null;
end $$;
create trigger record_alerted_checks after insert on alert_messages
  referencing new table as added for each statement execute function record_alerted_checks();

-- What was sent before: the cause of a delivery is `alert:check:flip:event:...:receiver`. The flip leads to the check
-- where another one has replaced it.
with told as materialized (
  select deliveries.*, split_part(cause, ':', 2)::uuid as of_check, split_part(cause, ':', 3) as flip_id
  from deliveries where cause ~ '^alert:[0-9a-f-]{36}:[0-9a-f-]{36}:[a-z]+:' and cause !~ ':fallback:'
),
of_checks as materialized (
  select told.*, coalesce(
    (select alerts.check_id from alerts where state ->> 'flipId' = flip_id limit 1),
    (select checks.id from checks where checks.id = of_check)) as check_id
  from told
)
insert into alerted_checks (cause, account_id, check_id, event, at, since, delivery_id, delivered_at)
select cause, account_id, of_checks.check_id, split_part(cause, ':', 4), created_at,
  coalesce(flips.at, created_at), of_checks.id, delivered_at
from of_checks left join flips on flips.id = flip_id::uuid
where of_checks.check_id is not null and account_id is not null
on conflict (cause) do nothing;

-- What waits to be sent.
insert into alerted_checks (cause, account_id, check_id, event, at, since)
select cause, alert_messages.account_id, alert_messages.check_id, message ->> 'event', alert_messages.created_at,
  coalesce((message ->> 'since')::timestamptz, flips.at, alert_messages.created_at)
from alert_messages
  left join flips on flips.id = substring(cause from '^alert:[0-9a-f-]{36}:([0-9a-f-]{36}):')::uuid
where message ->> 'event' is not null
on conflict (cause) do nothing;

-- A digest does not say in whose name it was sent. Of an open alert that was sent, a receiver of its rule that got
-- a digest since, and nothing else about it, got it in that.
insert into alerted_checks (cause, account_id, check_id, event, at, since, delivery_id, delivered_at)
select 'alert:' || alerts.check_id || ':' || flip_id || ':alert:' || receivers.id, alerts.account_id, alerts.check_id,
  'alert', digests.created_at, since, digests.id, digests.delivered_at
from alerts
  cross join lateral (
    select state ->> 'flipId' as flip_id, to_timestamp((state ->> 'sinceMs')::float8 / 1000) as since) as opened
  join alert_rules as rule on rule.id = alerts.rule_id
  cross join lateral (
    select id, id as channel_id, null as email from notification_channels as channel
    where channel.account_id = alerts.account_id and (rule.channel_ids is null or channel.id = any(rule.channel_ids))
    union all
    select id, null, email from users
    where users.account_id = alerts.account_id and (rule.email_users or users.id = any(rule.user_ids))
  ) as receivers
  cross join lateral (
    select deliveries.id, deliveries.created_at, deliveries.delivered_at from deliveries
    where deliveries.account_id = alerts.account_id and cause like 'digest:%' and cause !~ ':fallback:'
      and deliveries.created_at >= since
      and (deliveries.channel_id = receivers.channel_id or deliveries.recipient = receivers.email)
    order by deliveries.created_at limit 1) as digests
where state ->> 'phase' = 'alerted' and not exists (
  select from alerted_checks as known
  where known.check_id = alerts.check_id and known.cause like 'alert:%:' || flip_id || ':%:' || receivers.id)
on conflict (cause) do nothing;

-- migration 0151-carried-messages.sql
-- What a delivery to a channel says, until it is sent: a delivery that was never tried is taken back after a while,
-- so that what it says is composed when it is first tried. An earlier version writes none, and its deliveries stay.
create table carried_messages (
  -- as of the alert message
  cause text primary key,
  sequence bigint not null,
  delivery_id uuid not null references deliveries on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  receiver_id uuid not null,
  -- no reference, which would lock the check after its waiting messages: whoever deletes it locks in the other order
  check_id uuid not null,
  message jsonb not null,
  created_at timestamptz not null
);
create index carried_messages_delivery on carried_messages (delivery_id);
create index carried_messages_check on carried_messages (check_id);
call isolate('carried_messages');

-- migration 0152-outages-revised.sql
-- An outage that lasts is revised: its regions are all that saw it, and its reason is of when most of them did, not
-- of its first moment. A reason without a count, such as of a heartbeat, is the newest.
create function revise_outage() returns trigger language plpgsql as $$
declare
  failing constant text := '^(\d+) of \d+ regions fail ';
  seen integer := substring(new.status_reason from failing)::integer;
begin
  update outages set
    reason = case
      when seen is null and substring(reason from failing) is not null then reason
      when seen < substring(reason from failing)::integer then reason
      else new.status_reason
    end,
    regions = array(
      select unnest(outages.regions)
      union
      select region from checks cross join unnest(checks.regions) as region
      where checks.id = new.check_id and seen is not null
        -- the reason names those whose readings count
        and region = any(string_to_array(substring(new.status_reason from '\(([a-z0-9, -]+)\)'), ', '))
      order by 1)
  where check_id = new.check_id and ended_at is null;
  return null;
end $$;
create trigger revise_outage after update on check_states for each row
  when (new.status = 'down' and new.status_reason is not null
    and (old.status <> 'down' or old.status_reason is distinct from new.status_reason))
  execute function revise_outage();

-- migration 0153-browser-targets.sql
-- The address of a browser check was in its settings only, so lists and messages did not show it.
update checks set target = config #>> '{settings,url}' where type = 'browser' and target is null;

-- migration 0154-maintenance-note.sql
-- What a team writes to itself about a window, such as the change ticket. Visitors and subscribers never read it.
alter table maintenance_windows add column note text;

-- migration 0160-ping-keys.sql
-- Pings by the key of an account and the slug of a heartbeat, as healthchecks.io has them. Who has the key may ping.
alter table accounts
  add column ping_key text not null unique default replace(gen_random_uuid()::text, '-', '');
create index checks_slug on checks (account_id, (config #>> '{settings,slug}'))
  where type = 'heartbeat' and config #>> '{settings,slug}' is not null;

-- migration 0163-chain-ends.sql
-- The name of the certificate above that of a target which ends first; null where its own does. `expires_at` is the
-- end of the chain: when clients stop to accept it.
alter table check_certificates add column ends_with text;

-- What became of the last query of a registry, and when it was; also beside the check, which says why it has no date.
alter table domains add column tried_at timestamptz;
alter table check_domains add column outcome text, add column tried_at timestamptz;
update domains set tried_at = asked_at where outcome = 'told';
update check_domains set outcome = domains.outcome, tried_at = domains.tried_at
from domains where domains.name = check_domains.name and domains.outcome is not null;

-- migration 0165-telemetry-encoding.sql
-- How a push is encoded: JSON, or protobuf for receivers that read nothing else.
alter table telemetry_endpoints add column encoding text not null default 'json';

-- migration 0166-judged-partitions.sql
-- Up to when the messages of a partition were judged as they arrived, by the clock of the stream: a reading that was
-- too late to count then is too late when the next owner judges it again. Written only after such a reading.
create table judged_partitions (
  partition smallint primary key,
  judged_until timestamptz not null
);
