-- What a private agent may still send: refilled at a pace by its checks, and counted once for all
-- control planes.
create table private_agent_budgets (
  agent_id uuid primary key references private_agents on delete cascade,
  readings double precision not null,
  bytes double precision not null,
  filled_at timestamptz not null
);

-- Runs that were asked of a private agent: its readings of a kind other than `scheduled` count only where
-- they name one.
create table private_agent_runs (
  agent_id uuid not null references private_agents on delete cascade,
  check_id uuid not null,
  kind text not null,
  at_ms bigint not null,
  number bigint not null,
  asked_at timestamptz not null,
  primary key (agent_id, check_id, kind, at_ms, number)
);
create index private_agent_runs_asked on private_agent_runs (asked_at);
call isolate_by_check('private_agent_runs');
