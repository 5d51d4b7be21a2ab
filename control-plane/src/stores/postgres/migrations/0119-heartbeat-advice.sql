-- What members were told about a heartbeat that is not used as declared, and when to look again.
alter table heartbeats
  add column advised text[] not null default '{}',
  add column advice_look_at timestamptz not null default now();
create index heartbeats_advice_look on heartbeats (advice_look_at);
