-- Pings by the key of an account and the slug of a heartbeat, as healthchecks.io has them. Who has the key may ping.
alter table accounts
  add column ping_key text not null unique default replace(gen_random_uuid()::text, '-', '');
create index checks_slug on checks (account_id, (config #>> '{settings,slug}'))
  where type = 'heartbeat' and config #>> '{settings,slug}' is not null;
