-- Messages of many accounts share the places of a deliverer: whose turn is next, which channels are
-- slow, and which mails are news for subscribers, which wait behind alerts.
alter table deliveries add column bulk boolean not null default false;
update deliveries set bulk = true
where state = 'pending' and kind = 'mail'
  and (cause like 'incident_update:%' or cause like 'maintenance:%' or cause like 'subscription:%');

-- whether the last try to send over it took long
alter table notification_channels add column slow boolean not null default false;

-- Until now messages went to channels that were never tested: those that exist stay in use.
update notification_channels set verified_at = updated_at where verified_at is null;

drop index deliveries_mail;
-- mail to people without an account counts as one account, the id of which is zeros
create index deliveries_mail on deliveries
  (coalesce(account_id, '00000000-0000-0000-0000-000000000000'), bulk, next_attempt_at, sequence)
  where state = 'pending' and kind = 'mail';
create index deliveries_mail_claimed on deliveries (claimed_until)
  where state = 'pending' and kind = 'mail' and claimed_until is not null;
create index deliveries_waiting on deliveries (account_id, bulk desc, sequence)
  where state = 'pending';

-- When an account was served last, by kind.
create table delivery_turns (
  account_id uuid not null,
  kind text not null check (kind in ('mail', 'channel')),
  served_at timestamptz not null,
  primary key (account_id, kind)
);
call isolate('delivery_turns');
