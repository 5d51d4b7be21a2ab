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
