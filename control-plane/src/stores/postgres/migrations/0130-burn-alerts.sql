-- The alert rule whose receivers learn that an objective burns; null: none does.
alter table objectives add column alert_rule_id uuid references alert_rules on delete set null;
create index objectives_alert_rule on objectives (alert_rule_id);

-- Pairs of windows of which receivers know that they burn.
create table burn_alerts (
  objective_id uuid not null references objectives on delete cascade,
  -- the longer window of the pair
  pair text not null,
  account_id uuid not null references accounts on delete cascade,
  since timestamptz not null,
  primary key (objective_id, pair)
);
create index burn_alerts_account on burn_alerts (account_id);
call isolate('burn_alerts');

-- Accounts whose objectives are judged, so that control planes share them and none goes back in time.
create table burn_looks (
  account_id uuid primary key references accounts on delete cascade,
  looked_at timestamptz not null,
  judged_at timestamptz not null
);
create index burn_looks_looked on burn_looks (looked_at);
call isolate('burn_looks');
