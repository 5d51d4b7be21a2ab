-- What the migrations 0001 to 0136 made, on an empty database and in one transaction: the schema of 2026-11-29. A database
-- of that version has their names in its list, and `baseline.ts` names them. It is never changed.

create table accounts (
  id uuid primary key,
  name text not null,
  tier text not null check (tier in ('free', 'growth', 'scale')),
  created_at timestamptz not null,
  -- A suspended account: its keys, sessions and agents are refused, its channels and mails are silent.
  suspended_at timestamptz,
  -- The account that the operator made at the first start. TARGET_ALLOW opens addresses for its
  -- notification channels where CHANNEL_ALLOW is not set; for no other account.
  is_operators boolean not null default false,
  time_zone text not null default 'UTC'
);

create table users (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null,
  -- Whether an address was shown to be its user's: by a mailed link, or by the operator. Users that
  -- exist count as confirmed.
  confirmed_at timestamptz,
  -- The name that a member chose when accepting an invitation; null: known by the address only.
  name text,
  -- The zone of times in messages: to a member, and to the channels and other addresses of an account. IANA names.
  time_zone text not null default 'UTC',
  -- The account of the catalog's checks (catalog/catalog-checks.ts) is nobody's: whoever could be its
  -- user, or had a key of it, would decide what everybody is told of a service.
  constraint users_not_of_catalog check (account_id <> '0ca7a106-0000-8000-8000-000000000000')
);
create unique index users_email on users (lower(email));

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  scope text not null check (scope in ('read', 'read_write')),
  -- sha-256 of the key: 256 random bits need no slow hash, and equality on it is the look-up
  key_hash bytea not null unique,
  -- enough to recognise a key by, never enough to use it
  hint text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  constraint api_keys_not_of_catalog check (account_id <> '0ca7a106-0000-8000-8000-000000000000')
);

create table checks (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  type text not null,
  name text not null,
  url text,
  target text,
  interval_seconds integer not null check (interval_seconds > 0),
  regions text[] not null,
  all_regions boolean not null,
  paused boolean not null default false,
  private boolean not null default false,
  -- the eight assertion fields under their API names, unset ones left out
  assertions jsonb not null default '{}',
  revision integer not null default 1,
  -- since when the current revision's slots are due
  valid_from timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- What a check's type holds besides the columns: steps or settings (contracts/check-config).
  config jsonb not null default '{"type": "http"}',
  -- The hosts that a check asks and whose they are, an entry for each request of a run
  -- (checks/asked-hosts.ts). Null until a control plane that knows of them has looked at the check.
  asked_hosts text[],
  asked_sites text[],
  -- Checks that were paused because their account was suspended: they run again when it is resumed.
  suspended boolean not null default false,
  -- The revision of the check that is spread, where its current one is: a revision that an older version
  -- makes leaves this behind.
  spread_revision integer,
  -- Tags by which people group checks.
  tags text[] not null default '{}',
  -- When a pause ends by itself; null: by hand, or not paused.
  paused_until timestamptz,
  -- The names of the secrets that a check uses, read from its config when it is written.
  secret_names text[] not null default '{}',
  -- What decides the status of a check, as set in the dashboard; null: the default. No part of a revision: agents measure
  -- the same. An older control plane leaves it as it is, and judges by the default.
  status_rule jsonb
);
create index checks_account on checks (account_id, created_at, id);

-- What was due, and when: the ledger is computed from these rows (contracts/slots).
create table check_revisions (
  check_id uuid not null references checks on delete cascade,
  revision integer not null,
  valid_from timestamptz not null,
  valid_to timestamptz,
  regions text[] not null,
  interval_seconds integer not null,
  paused boolean not null,
  -- The slots of a revision's regions lie evenly over its interval; false: each where a hash of check and
  -- region puts it, as of every revision before this column and of every one that an older version makes.
  spread boolean not null default false,
  primary key (check_id, revision)
);

-- A deleted check's readings are removed from ClickHouse after the last batch that may hold them.
create table deleted_checks (
  check_id uuid primary key,
  account_id uuid not null,
  deleted_at timestamptz not null,
  purged_at timestamptz,
  -- What replaced a deleted check, and the sha-256 of the input that asked for it: the same request, repeated, gets
  -- the same check. null: it was deleted without a replacement.
  replaced_by uuid,
  replace_hash bytea
);
create index deleted_checks_unpurged on deleted_checks (deleted_at) where purged_at is null;

-- The assessor's state, one row a check. `status` and `version` change only by compare-and-set,
-- together with the flip and its outbox row; `regions` is also written behind.
create table check_states (
  check_id uuid primary key references checks on delete cascade,
  partition smallint not null,
  status text not null default 'unknown',
  status_reason text,
  status_since timestamptz,
  version integer not null default 0,
  regions jsonb not null default '{}',
  -- An outage that too few regions could confirm, since a quarantine kept the votes of others: a check is
  -- degraded or stale then, and is told of nevertheless.
  unconfirmed boolean not null default false,
  -- A check is degraded and no region sees it up: every probe is refused, or too few regions saw it fail.
  -- That time is neither up nor down. A flip may keep the status where only this changes.
  none_up boolean not null default false,
  -- when only a mark changed last since the status did
  marked_at timestamptz
);
create index check_states_partition on check_states (partition);

create table flips (
  id uuid primary key,
  check_id uuid not null references checks on delete cascade,
  -- the state's version that this flip made: two flips of one version cannot both be
  version integer not null,
  from_status text not null,
  to_status text not null,
  reason text,
  at timestamptz not null,
  -- a flip may keep the status where only this changes: it is told to alert rules alone
  unconfirmed boolean not null default false,
  none_up boolean not null default false,
  unique (check_id, version)
);
create index flips_check on flips (check_id, at desc);

create table outbox (
  id uuid primary key,
  -- the order of telling: ids of one millisecond have none
  sequence bigint generated always as identity,
  kind text not null,
  payload jsonb not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  done_at timestamptz
);
create index outbox_open on outbox (next_attempt_at) where done_at is null;

-- A batch of readings is written here before its insert, so that after a crash exactly the same
-- messages, less the same rows, are inserted again under the same token.
create table ingest_batches (
  token uuid primary key,
  created_at timestamptz not null,
  -- [{partition, first, last, count}]
  ranges jsonb not null,
  -- positions, within the decoded batch, of rows left out: twins and readings of deleted checks
  dropped integer[] not null
);

-- Messages and readings that could not be read: kept for a person to look at, never blocking.
create table poison_messages (
  id uuid primary key,
  partition smallint not null,
  sequence bigint not null,
  reason text not null,
  payload bytea not null,
  received_at timestamptz not null,
  -- Who sent what could not be read, for its share of what is kept: a region, or what is read of it.
  owner text not null default 'unknown'
);
create index poison_messages_received on poison_messages (received_at);

-- The control planes that live, each with the session that its advisory locks stand on.
create table control_planes (
  id uuid primary key,
  backend_pid integer not null,
  -- with the pid it names the session: pids are given again
  backend_start timestamptz not null,
  seen_at timestamptz not null,
  -- What an older version registers is of epoch 0.
  epoch integer not null default 0
);

-- Who stores and judges a partition. Having it is an advisory lock; the epoch rises each time it is
-- taken, and every write of its holder names it, so that a former holder's writes change nothing.
create table partition_leases (
  partition smallint primary key,
  epoch bigint not null default 0,
  holder uuid,
  taken_at timestamptz
);
insert into partition_leases (partition) select generate_series(0, 15);

-- A heartbeat check's state. It changes by compare-and-set on `version` only, together with its runs,
-- its flip and the outbox row of that.
create table heartbeats (
  check_id uuid primary key references checks on delete cascade,
  -- who has it may ping: random, and not the check's id, which every read key can see
  ping_key uuid not null unique,
  state jsonb not null,
  version integer not null default 0,
  -- an absolute instant, looked for every second by every control plane; null: nothing is awaited
  next_deadline_at timestamptz,
  -- the last /log that belonged to no run
  log_message text,
  log_at timestamptz,
  -- how many runs are kept, so that those with too many are found at once
  run_count integer not null default 0,
  -- What members were told about a heartbeat that is not used as declared, and when to look again.
  advised text[] not null default '{}',
  advice_look_at timestamptz not null default now()
);
create index heartbeats_deadline on heartbeats (next_deadline_at) where next_deadline_at is not null;
create index heartbeats_many_runs on heartbeats (check_id) where run_count > 1100;

create table heartbeat_runs (
  id uuid primary key,
  check_id uuid not null references heartbeats on delete cascade,
  -- the caller's name of the run
  rid uuid,
  -- its start, or its end where it has no start: the order of runs
  at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  outcome text not null,
  stuck boolean not null,
  exit_code smallint,
  message text
);
create index heartbeat_runs_rid on heartbeat_runs (check_id, rid) where rid is not null;
create index heartbeat_runs_newest on heartbeat_runs (check_id, at desc, id desc);

-- When a control plane was last there to take pings: one row, written by all of them.
create table heartbeat_watch (
  one boolean primary key default true check (one),
  seen_at timestamptz not null
);

-- Times in which none was: a ping that could not be taken is no ping that was not sent.
create table heartbeat_outages (
  from_at timestamptz primary key,
  to_at timestamptz not null
);

-- Who reads and writes: the verbs of an account as probe_mesh_account, which sees one account at a
-- time; loops, keys and the operator as probe_mesh_system. Neither owns a table nor passes by row-level
-- security. Roles belong to the whole server: another database of it may have made them.
do $$
declare
  name text;
begin
  foreach name in array array['probe_mesh_account', 'probe_mesh_system'] loop
    if not exists (select from pg_roles where rolname = name) then
      begin
        execute format('create role %I nologin nosuperuser nobypassrls', name);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
    -- a superuser may act as any role
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant %I to %I', name, current_user);
    end if;
  end loop;
end
$$;

grant usage on schema public to probe_mesh_account, probe_mesh_system;
grant select, insert, update, delete on all tables in schema public to probe_mesh_system;
alter default privileges in schema public grant select, insert, update, delete on tables
  to probe_mesh_system;

-- The verbs of an account reach the tables that are isolated, and may tell something.
grant insert on outbox to probe_mesh_account;

-- The account that a transaction acts for; null, which equals nothing, where none was chosen.
create function current_account() returns uuid language sql stable as
  $$ select nullif(current_setting('app.account', true), '')::uuid $$;

-- Opens a table to verbs, and to each only the rows of which `belongs` is true.
create procedure isolate_where(name regclass, belongs text) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('grant select, insert, update, delete on %s to probe_mesh_account', name);
  execute format('create policy of_account on %s to probe_mesh_account using (%s) with check (%s)',
    name, belongs, belongs);
  execute format('create policy of_system on %s to probe_mesh_system using (true) with check (true)', name);
  -- whoever owns the tables migrates and looks after them, by hand if need be
  execute format('create policy of_owner on %s to %I using (true) with check (true)', name, current_user);
end
$$;

-- Every table with an account id calls this, in the migration that makes it.
create procedure isolate(name regclass, account_column name default 'account_id')
language plpgsql as $$
begin
  call isolate_where(name, format('%I = current_account()', account_column));
end
$$;

-- Every table that belongs to an account through its check calls this: verbs see no check of others.
create procedure isolate_by_check(name regclass) language plpgsql as $$
begin
  call isolate_where(name, 'exists (select from checks where checks.id = check_id)');
end
$$;

call isolate('accounts', 'id');
call isolate('users');
call isolate('api_keys');
call isolate('checks');
call isolate('deleted_checks');
call isolate_by_check('check_states');
call isolate_by_check('check_revisions');
call isolate_by_check('flips');
call isolate_by_check('heartbeats');
call isolate_by_check('heartbeat_runs');

-- Who wrote what, from where: a row for every write, in the transaction of that write.
create table audit_log (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null,
  -- an API key, a user of the dashboard, or the operator at the machine
  actor_kind text not null check (actor_kind in ('key', 'user', 'operator')),
  actor_id text,
  actor_name text not null,
  -- the address that the request came from; null for the operator
  address text,
  -- the route's or act's name: createCheck, revokeKey
  action text not null,
  resource_type text not null,
  resource_id text not null
);
create index audit_log_newest on audit_log (account_id, at desc, id desc);
call isolate('audit_log');

-- what was noted stays as it was noted
revoke update, delete on audit_log from probe_mesh_account;

create table status_pages (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  slug text not null unique,
  title text,
  description text,
  logo text,
  accent_color text,
  theme_preset text not null,
  font text not null,
  locale text not null,
  links jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index status_pages_account on status_pages (account_id, created_at, id);
call isolate('status_pages');

-- A check published on a page.
create table components (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  status_page_id uuid not null references status_pages on delete cascade,
  check_id uuid not null references checks on delete cascade,
  display_name text not null,
  description text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The place and group of a component on its page. null: behind the arranged ones, in order of publication.
  position integer,
  group_name text,
  unique (status_page_id, check_id)
);
create index components_check on components (check_id);
call isolate('components');

create table incidents (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  status_page_id uuid not null references status_pages on delete cascade,
  check_id uuid not null references checks on delete cascade,
  -- where it was seen; null: a heartbeat is measured in no region
  region text,
  title text not null,
  status text not null check (status in ('investigating', 'identified', 'monitoring', 'resolved')),
  source text not null check (source in ('manual', 'automatic')),
  started_at timestamptz not null,
  resolved_at timestamptz,
  created_at timestamptz not null,
  -- How much of a page an incident affects: as measured when it opened or grew, and as its owner says, which wins.
  -- null in both, as previous versions write it: `major` of an automatic incident, `minor` of another.
  measured_impact text check (measured_impact in ('none', 'minor', 'major', 'critical')),
  posted_impact text check (posted_impact in ('none', 'minor', 'major', 'critical'))
);
create index incidents_account on incidents (account_id, started_at desc, id desc);
create index incidents_page on incidents (status_page_id, started_at desc, id desc);
create index incidents_check on incidents (check_id);

-- what was found down once is one incident on a page until it recovers
create unique index incidents_open_automatic on incidents (status_page_id, check_id)
  where source = 'automatic' and resolved_at is null;
call isolate('incidents');

create table incident_updates (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  incident_id uuid not null references incidents on delete cascade,
  -- the order of telling: ids of one millisecond have none
  sequence bigint generated always as identity,
  status text not null check (status in ('investigating', 'identified', 'monitoring', 'resolved')),
  body text not null,
  created_at timestamptz not null
);
create index incident_updates_incident on incident_updates (incident_id, sequence desc);
call isolate('incident_updates');

create table maintenance_windows (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  status_page_id uuid not null references status_pages on delete cascade,
  title text not null,
  body text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at >= starts_at),
  -- said, not concluded from an empty list: a window never grows to the page
  whole_page boolean not null,
  created_at timestamptz not null,
  -- A window that had not begun when it was cancelled; it ends where it would have started.
  cancelled_at timestamptz,
  -- For calendars: how often a window was changed after its announcement, and when last; null: never.
  revision integer not null default 0,
  changed_at timestamptz
);
create index maintenance_windows_page on maintenance_windows (status_page_id, ends_at desc);
create index maintenance_windows_account on maintenance_windows (account_id, ends_at desc);
call isolate('maintenance_windows');

create table maintenance_components (
  account_id uuid not null references accounts on delete cascade,
  window_id uuid not null references maintenance_windows on delete cascade,
  -- kept when the component is unpublished: the window was announced for it
  component_id uuid not null,
  -- in the order they were named
  position integer not null,
  primary key (window_id, component_id)
);
create index maintenance_components_component on maintenance_components (component_id);
call isolate('maintenance_components');

-- Who asked for a page's mail. Only a confirmed one gets any; one that never confirms is removed.
create table subscribers (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  status_page_id uuid not null references status_pages on delete cascade,
  -- null: the whole page
  component_id uuid references components on delete cascade,
  email text not null,
  -- sha-256 of the token in the newest confirmation link, which works until confirm_before
  confirm_hash bytea unique,
  confirm_before timestamptz not null,
  -- when links were mailed within the last day: so many to one address, and no more
  asked_at timestamptz[] not null,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  -- Many addresses of one mailbox are one: a+1@example.org is a@example.org.
  mailbox text not null generated always as (lower(regexp_replace(email, '\+[^@]*@', '@'))) stored,
  domain text not null generated always as (lower(substring(email from '[^@]*$'))) stored
);
create unique index subscribers_once on subscribers
  (status_page_id, coalesce(component_id, '00000000-0000-0000-0000-000000000000'), lower(email));
create index subscribers_address on subscribers (lower(email));
create index subscribers_confirmed on subscribers
  (status_page_id, lower(email), component_id nulls first)
  where confirmed_at is not null;
create index subscribers_unconfirmed on subscribers (status_page_id, confirm_before)
  where confirmed_at is null;
call isolate('subscribers');

create table notification_channels (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  type text not null check (type in ('discord', 'teams', 'opsgenie', 'json')),
  name text not null,
  -- the config, encrypted with SECRETS_KEY; nothing reads it but what sends
  credential bytea not null,
  -- what a person may see of it
  summary jsonb not null,
  verified_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- the circuit breaker: failures in a row, and until when nothing is tried
  failures integer not null default 0,
  open_until timestamptz,
  -- whether the last try to send over it took long
  slow boolean not null default false,
  -- Since when the messages of a channel fail, and how; null: they arrive.
  failing_since timestamptz,
  failing_detail text,
  -- when its members were told last, so that a channel that comes and goes mails once a day
  failing_told_at timestamptz
);
create index notification_channels_account on notification_channels (account_id, created_at, id);
call isolate('notification_channels');

-- One message to one receiver. Its id goes along and stays the same at every try, so that a
-- receiver which has seen it can tell.
create table deliveries (
  id uuid primary key,
  account_id uuid references accounts on delete cascade,
  -- mail to one address, or a message over a channel
  kind text not null check (kind in ('mail', 'channel')),
  channel_id uuid references notification_channels on delete cascade,
  recipient text,
  -- what caused it and for whom: written twice, it is one delivery
  cause text not null unique,
  message jsonb not null,
  -- kept: a mail that was not sent, since no SMTP_URL is set
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead', 'kept')),
  -- a channel's messages go out in this order, one after another
  sequence bigint generated always as identity,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  -- who sends it has it until then; when that has passed, somebody else does
  claimed_until timestamptz,
  -- no longer worth sending after this
  expires_at timestamptz not null,
  created_at timestamptz not null,
  delivered_at timestamptz,
  -- what the last try met
  last_error text,
  -- Messages of many accounts share the places of a deliverer: whose turn is next, which channels are
  -- slow, and which mails are news for subscribers, which wait behind alerts.
  bulk boolean not null default false,
  check ((kind = 'channel') = (channel_id is not null)),
  check ((kind = 'mail') = (recipient is not null)),
  constraint deliveries_of_nobody check (account_id is not null or kind = 'mail')
);
create index deliveries_channel on deliveries (channel_id, sequence) where state = 'pending';
create index deliveries_claimed on deliveries (channel_id)
  where state = 'pending' and claimed_until is not null;
create index deliveries_expiring on deliveries (expires_at) where state = 'pending';
create index deliveries_done on deliveries (created_at) where state <> 'pending';
create index deliveries_account on deliveries (account_id, sequence desc);
call isolate('deliveries');

-- Who is told, and when, of what becomes of an account's checks.
create table alert_rules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  enabled boolean not null,
  -- null: every check, also those that are made later
  check_ids uuid[],
  statuses text[] not null
    check (cardinality(statuses) > 0 and statuses <@ array['down', 'degraded', 'stale']),
  after_seconds integer not null check (after_seconds between 0 and 86400),
  -- null: every channel, also those that are made later
  channel_ids uuid[],
  email_users boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unconfirmed boolean not null default true,
  -- How many days before a certificate, or the registration of a domain, expires a rule notifies; empty: never.
  certificate_days integer[] not null default '{14,7,1}',
  domain_days integer[] not null default '{14,7,1}',
  -- Members and addresses that a rule mails, besides all members. A version before this one mails neither.
  user_ids uuid[] not null default '{}',
  addresses text[] not null default '{}',
  escalation_id uuid,
  -- Where a rule's alerts go as well while one of its channels fails.
  fallback_channel_id uuid
);
create index alert_rules_account on alert_rules (account_id, created_at, id);
call isolate('alert_rules');

-- How far the rules have read a check's flips: each is taken once, and in the order of versions,
-- whatever order their outbox rows are found in.
create table alert_cursors (
  check_id uuid primary key references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  version integer not null
);
call isolate('alert_cursors');

-- What a rule has begun to tell of a check: from the first bad status until it is operational.
create table alerts (
  rule_id uuid not null references alert_rules on delete cascade,
  check_id uuid not null references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  state jsonb not null,
  -- when it must be looked at again
  next_at timestamptz not null,
  primary key (rule_id, check_id)
);
create index alerts_check on alerts (check_id);
create index alerts_next on alerts (next_at);
call isolate('alerts');

-- What is about to be told to one receiver, a channel or a user, while it is seen how much it is.
create table alert_messages (
  id uuid primary key,
  sequence bigint generated always as identity,
  account_id uuid not null references accounts on delete cascade,
  receiver_id uuid not null,
  check_id uuid not null references checks on delete cascade,
  -- what caused it and for whom: written twice, it is one message
  cause text not null unique,
  message jsonb not null,
  created_at timestamptz not null
);
create index alert_messages_receiver on alert_messages (receiver_id, sequence);
create index alert_messages_check on alert_messages (check_id);
call isolate('alert_messages');

-- How fast a receiver is told things. Its row is locked by whoever adds a message or sends them.
create table alert_gatherings (
  receiver_id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('mail', 'channel')),
  -- since when messages wait, and when they are sent; null: none wait
  opened_at timestamptz,
  send_at timestamptz,
  -- how many messages it was told since then: the velocity limit
  told_since timestamptz not null,
  told integer not null,
  -- a digest opened something at the receiver that is not closed yet
  in_storm boolean not null
);
create index alert_gatherings_due on alert_gatherings (send_at) where send_at is not null;
call isolate('alert_gatherings');

-- The checks of an automatic incident: those that went down together by one cause.
create table incident_members (
  incident_id uuid not null references incidents on delete cascade,
  -- it stays when the check is deleted: an incident that waits for nobody else can be told
  check_id uuid not null,
  account_id uuid not null references accounts on delete cascade,
  -- what one cause is recognised by: the target's host, or the reason and the regions that saw it
  host text,
  cause text not null,
  regions text[] not null,
  down_at timestamptz not null,
  recovered_at timestamptz,
  -- As what a member of an incident left it: the status that followed `down`; null while it is down, and of
  -- those that left before this was noted.
  left_as text,
  primary key (incident_id, check_id)
);
create index incident_members_open on incident_members (check_id) where recovered_at is null;
call isolate('incident_members');

-- Who is logged in to the dashboard. The cookie holds 256 random bits, and this table their hash.
create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  opened_by text not null check (opened_by in ('password', 'link')),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  -- where it was opened, for the user to recognise it by
  address text not null,
  user_agent text not null
);
create index sessions_user on sessions (user_id, created_at, id);
create index sessions_expired on sessions (expires_at);
call isolate('sessions');

-- A link that was mailed: it logs in once.
create table login_links (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index login_links_user on login_links (user_id);
create index login_links_expired on login_links (expires_at);
call isolate('login_links');

-- How often logging in was tried in vain: of no account, since most of it is about none that exists.
create table login_attempts (
  -- sha-256 of an e-mail address or of the address a request came from
  subject bytea primary key,
  failures integer not null,
  blocked_until timestamptz not null,
  expires_at timestamptz not null
);
create index login_attempts_expired on login_attempts (expires_at);

-- One row for each Idempotency-Key of an account.
create table idempotency_keys (
  -- whose claim it is: another request that takes the claim over gives it another id
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  key_hash bytea not null,
  route text not null,
  body_hash bytea not null,
  -- after this instant whoever made the claim has been refused or is gone
  claimed_until timestamptz not null,
  -- set in the transaction of the write itself
  carried_out boolean not null default false,
  -- the answer, once there is one
  status integer,
  body text,
  expires_at timestamptz not null,
  unique (account_id, key_hash)
);
create index idempotency_keys_expired on idempotency_keys (expires_at);
call isolate('idempotency_keys');

-- What a key has used of its budgets within the window: one count, whichever instance was asked.
-- Unlogged, since it is the count of a minute: no call waits for the disk, and a crash of the server
-- forgets the minute. All instants are of this server's clock, in milliseconds since 1970.
create type budget_use as (
  -- when the places were used; of a block, when it lapses
  at double precision,
  places integer,
  -- a block handed to an instance and not settled yet; null for what was used
  block uuid
);

-- A refused call was told to come back at told_at, for a place that becomes free at free_at.
create type budget_promise as (free_at double precision, told_at double precision);

create unlogged table budgets (
  key_id uuid not null,
  budget text not null check (budget in ('reads', 'writes')),
  account_id uuid not null references accounts on delete cascade,
  uses budget_use[] not null default '{}',
  promises budget_promise[] not null default '{}',
  touched_at timestamptz not null default clock_timestamp(),
  primary key (key_id, budget)
) with (fillfactor = 50);
call isolate('budgets');

-- One trip of an instance: settles the blocks that it brings back, then takes places for calls that
-- wait (`wanted`), a block for calls to come (`spare`, at most an eighth of what is left) and, where
-- calls must be refused, an instant for each of them and for `stock` more, every one for a place of
-- its own. The row's lock makes the count exact. Instances speak of ages and waits only, so that the
-- clock of none of them matters; `given_ms` stands for the clock in tests.
create function trade_places(
  for_key uuid, for_account uuid, for_budget text,
  quota integer, window_ms double precision, block_ms double precision, slot_ms double precision,
  promises_max integer, wanted integer, spare integer, stock integer, new_block uuid,
  returned jsonb, given_ms double precision,
  out granted integer, out handed integer, out places_left integer,
  out reset_ms double precision, out shut_ms double precision,
  out waits_ms double precision[], out all_promised boolean
) language plpgsql as $$
declare
  known budgets;
  at_ms double precision;
  used bigint;
  due integer;
  outstanding integer;
  refused integer;
  free_instants double precision[];
  told double precision;
begin
  loop
    insert into budgets (key_id, budget, account_id) values (for_key, for_budget, for_account)
      on conflict do nothing;
    select * into known from budgets where key_id = for_key and budget = for_budget for update;
    exit when found;
  end loop;
  -- after the lock: whoever waits for it must not count with an instant of before
  at_ms := floor(coalesce(given_ms, extract(epoch from clock_timestamp()) * 1000));

  -- what is a slot apart counts as one use, of its latest instant: a row has a bound at any quota
  known.uses := array(
    select row(max(each.at), sum(each.places), each.block)::budget_use
    from (
      select entry.at, entry.places, entry.block from unnest(known.uses) entry
      where entry.block is null or not exists (
        select from jsonb_array_elements(returned) back where (back->>'block')::uuid = entry.block)
      union all
      -- nothing was used before it was handed out, whatever an instance's clock says; a block that
      -- is not known any more was settled by a trip whose answer got lost
      select
        greatest(at_ms - greatest(0, (use->>0)::double precision),
          coalesce(entry.at - block_ms, '-infinity')),
        (use->>1)::integer, null
      from jsonb_array_elements(returned) back
      cross join jsonb_array_elements(back->'uses') use
      left join unnest(known.uses) entry on entry.block = (back->>'block')::uuid
      where back->>'block' is null or entry.block is not null
    ) each
    where each.at > at_ms - window_ms
    group by each.block, ceil(each.at / slot_ms)
    order by max(each.at)
  );
  known.promises := array(
    select promise from unnest(known.promises) promise where (promise).told_at > at_ms
    order by (promise).told_at);

  select coalesce(sum(places), 0) into used from unnest(known.uses);
  -- a place that is free and promised is kept until the instant that was told, which is a whole
  -- second and therefore up to one later
  select count(*) filter (where free_at <= at_ms), count(*) filter (where free_at > at_ms)
    into due, outstanding from unnest(known.promises);
  places_left := greatest(0, quota - used);
  granted := least(wanted, greatest(0, places_left - due));
  handed := least(spare, greatest(0, places_left - due - granted) / 8);
  places_left := places_left - granted - handed;
  if granted > 0 then
    known.uses := known.uses || row(at_ms, granted, null)::budget_use;
  end if;
  if handed > 0 then
    known.uses := known.uses || row(at_ms + block_ms, handed, new_block)::budget_use;
  end if;

  refused := wanted - granted;
  waits_ms := '{}';
  all_promised := false;
  if refused > 0 then
    -- the instants at which places become free, in order: those of uses, then those of the calls
    -- that were told to come, which may be a second late; the outstanding promises have the first
    free_instants := array(
      select instant from (
        select each.at + window_ms as instant from unnest(known.uses) each
          cross join lateral generate_series(1, least(each.places, promises_max))
        union all
        select told_at + 1000 + window_ms from unnest(known.promises)
      ) free
      order by instant
      offset outstanding + greatest(0, due - places_left) limit refused + stock);
    told := coalesce((select max(told_at) from unnest(known.promises)), at_ms + window_ms);
    for n in 1..refused + stock loop
      all_promised := cardinality(known.promises) >= promises_max;
      -- beyond the bound everybody is told the last place
      exit when all_promised and n > refused;
      if not all_promised then
        told := at_ms + 1000 * greatest(1, ceil((free_instants[n] - at_ms) / 1000));
        known.promises := known.promises || row(free_instants[n], told)::budget_promise;
        free_instants := free_instants || told + 1000 + window_ms;
      end if;
      waits_ms := waits_ms || told - at_ms;
    end loop;
  end if;

  select coalesce(min(at) + window_ms - at_ms, 0) into reset_ms from unnest(known.uses);
  -- until when there is nothing to be had: a block may come back soon after it lapsed
  select case when places_left > due then 0 else coalesce(min(instant) - at_ms, 0) end into shut_ms
  from (
    select case when block is null or at < at_ms - 2000 then at + window_ms
      else greatest(at, at_ms) + 500 end as instant
    from unnest(known.uses)
    union all select told_at from unnest(known.promises) where free_at <= at_ms
  ) free;
  update budgets set uses = known.uses, promises = known.promises, touched_at = clock_timestamp()
    where key_id = for_key and budget = for_budget;
end
$$;

-- How many people report problems. Of no account and of nobody: who reported is never written.
create table report_counts (
  -- a quarter of an hour of the clock, its beginning
  quarter_at timestamptz not null,
  slug text not null,
  -- that the visitor named, or unknown
  region text not null,
  reports integer not null,
  primary key (quarter_at, slug, region)
);

-- The quarters in which somebody took reports: none counted in one of them is a zero, none counted
-- in another is not known.
create table report_quarters (
  quarter_at timestamptz primary key
);

-- The last batch of counts that each control plane has written: sent again after an answer that got
-- lost, a batch counts once.
create table report_writers (
  id uuid primary key,
  sequence bigint not null,
  written_at timestamptz not null
);

-- Regions whose own network was taken for broken: whichever control plane sees it first writes the
-- row and tells the operator. No row belongs to an account.
create table region_quarantines (
  id uuid primary key,
  region text not null,
  -- when the first of the failures was measured
  since timestamptz not null,
  -- null while it lasts
  ended_at timestamptz,
  -- distinct hosts that were compared, and those of them that failed in this region only
  hosts integer not null,
  failing integer not null,
  -- {"examples": [host]}
  evidence jsonb not null
);
create unique index region_quarantines_open on region_quarantines (region) where ended_at is null;
create index region_quarantines_newest on region_quarantines (since desc);

-- What is known of shared incidents: one row, written by whoever has partition 0 and read by all.
create table shared_state (
  one boolean primary key default true check (one),
  -- by the clock of whoever wrote it
  at timestamptz not null,
  state jsonb not null
);

-- Error tracking: what Sentry SDKs report to. The occurrences themselves are ClickHouse's.
create table error_projects (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- the project in a DSN's path, which SDKs want to be a number
  number bigint generated always as identity unique,
  created_at timestamptz not null,
  -- What the set-up of an SDK is shown for.
  platform text not null default 'other' check (platform in ('node', 'browser', 'python', 'other')),
  -- What is scrubbed besides what always is.
  scrub_names text[] not null default '{}',
  keep_addresses boolean not null default false,
  -- What of a project's events is dropped at the door because its owner does not want it. Patterns are
  -- globs: a star stands for anything, every other character for itself.
  filter_messages text[] not null default '{}',
  filter_releases text[] not null default '{}',
  filter_environments text[] not null default '{}',
  filter_browser_extensions boolean not null default false,
  filter_localhost boolean not null default false,
  filter_web_crawlers boolean not null default false
);
create index error_projects_account on error_projects (account_id, created_at, id);
call isolate('error_projects');

create table error_issues (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  project_id uuid not null references error_projects on delete cascade,
  -- a hash of what makes occurrences one problem, and by which version of the rules it was made
  fingerprint bytea not null,
  fingerprint_version integer not null,
  title text not null,
  culprit text,
  status text not null check (status in ('unresolved', 'resolved', 'ignored')),
  occurrences bigint not null check (occurrences >= 0),
  first_seen timestamptz not null,
  last_seen timestamptz not null check (last_seen >= first_seen),
  -- How an issue was resolved, for what arrives of it later; both say nothing of other statuses.
  resolved_at timestamptz,
  -- occurrences of releases that were known at resolved_at do not open it again
  resolved_in_next_release boolean not null default false,
  -- When it was last opened again by an occurrence after it was resolved.
  regressed_at timestamptz,
  -- The release whose occurrence opened an issue again at regressed_at; null where it named none.
  regressed_release text,
  unique (project_id, fingerprint_version, fingerprint)
);

-- A search reads a project's issues in this order. An index of parts of words would go unused: row-level
-- security lets no condition on text run ahead of it.
create index error_issues_newest on error_issues (project_id, last_seen desc, id desc);
call isolate('error_issues');

-- Occurrences of an issue by the release that they name; those that name none are in no row.
create table error_issue_releases (
  issue_id uuid not null references error_issues on delete cascade,
  release text not null,
  account_id uuid not null references accounts on delete cascade,
  occurrences bigint not null check (occurrences >= 0),
  primary key (issue_id, release)
);
create index error_issue_releases_account on error_issue_releases (account_id);
call isolate('error_issue_releases');

-- What became of the events of a month: each one that arrived is counted in one row.
create table error_counts (
  project_id uuid not null references error_projects on delete cascade,
  -- its first day, UTC
  month date not null check (extract(day from month) = 1),
  outcome text not null
    check (outcome in ('stored', 'quota', 'rate', 'size', 'invalid', 'duplicate',
    'filtered', 'scrub', 'store')),
  account_id uuid not null references accounts on delete cascade,
  events bigint not null check (events >= 0),
  primary key (project_id, month, outcome)
);
create index error_counts_account on error_counts (account_id, month);
call isolate('error_counts');

-- Somebody who asked for an account and has to show first that the address is theirs. Of no account,
-- since there is none yet; what is chosen besides is asked for by the link.
create table sign_ups (
  id uuid primary key,
  email text not null,
  -- sha-256 of what was mailed
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_ups_email on sign_ups (lower(email));
create index sign_ups_expired on sign_ups (expires_at);

-- Keys of a project, each in a DSN of its own: one is put in the place of another without a moment
-- in which none is taken. Revoked ones stay, so that whoever looks for one finds when it ended.
create table error_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  project_id uuid not null references error_projects on delete cascade,
  -- the user in a DSN: it is in every page that reports, and no secret
  public_key text not null unique check (public_key ~ '^[0-9a-f]{32}$'),
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index error_keys_project on error_keys (project_id, created_at, id);
create index error_keys_account on error_keys (account_id);
call isolate('error_keys');

-- Projects whose occurrences are still to be purged, and what they spent of the quota: the month's
-- events stay spent when their project goes.
create table deleted_error_projects (
  project_id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  deleted_at timestamptz not null,
  purged_at timestamptz,
  -- its first day, UTC
  month date not null check (extract(day from month) = 1),
  events bigint not null check (events >= 0)
);
create index deleted_error_projects_open on deleted_error_projects (deleted_at)
  where purged_at is null;
create index deleted_error_projects_account on deleted_error_projects (account_id, month);
call isolate('deleted_error_projects');

-- Events that were taken, so that a second one of the same id is known for one. Without a reference to
-- the project: rows go by age, not with it.
create table error_event_ids (
  project_id uuid not null,
  event_id uuid not null,
  seen_at timestamptz not null,
  primary key (project_id, event_id)
);
create index error_event_ids_seen on error_event_ids (seen_at);

-- What must be repeated exactly, should a persister die between its decisions and the counts. A
-- partition has one batch under way at the most.
create table error_batches (
  partition smallint primary key,
  token uuid not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  messages integer not null,
  last_stored_at_ms bigint not null,
  -- positions of events that are not stored, and why
  outcomes jsonb not null,
  -- events held of each account's month until they are counted
  admitted jsonb not null,
  created_at timestamptz not null,
  -- The maps that a batch is read by, decided with it: [project id, debug id, map id], the last null
  -- where the batch needs too many.
  source_maps jsonb not null default '[]'
);

-- The last message of each partition whose counts are written. The instant tells it from a message of
-- the same sequence on a stream that was made anew.
create table error_watermarks (
  partition smallint primary key,
  sequence bigint not null,
  stored_at_ms bigint not null
);

-- What SDKs say that they threw away themselves. No event of ours: never added to error_counts.
create table error_client_reports (
  project_id uuid not null references error_projects on delete cascade,
  -- its first day, UTC
  month date not null check (extract(day from month) = 1),
  category text not null,
  reason text not null,
  account_id uuid not null references accounts on delete cascade,
  quantity bigint not null check (quantity >= 0),
  primary key (project_id, month, category, reason)
);
create index error_client_reports_account on error_client_reports (account_id);
call isolate('error_client_reports');

-- Items of envelopes that are no events and are not kept: transactions, sessions, attachments.
create table error_unsupported_items (
  project_id uuid not null references error_projects on delete cascade,
  -- its first day, UTC
  month date not null check (extract(day from month) = 1),
  type text not null,
  account_id uuid not null references accounts on delete cascade,
  items bigint not null check (items >= 0),
  primary key (project_id, month, type)
);
create index error_unsupported_items_account on error_unsupported_items (account_id);
call isolate('error_unsupported_items');

-- When each release was first heard of: what "in the next release" is decided by.
create table error_project_releases (
  project_id uuid not null references error_projects on delete cascade,
  release text not null,
  account_id uuid not null references accounts on delete cascade,
  first_seen timestamptz not null,
  primary key (project_id, release)
);
call isolate('error_project_releases');

-- The door remembers keys, and is told of each that changes.
create function tell_error_key() returns trigger language plpgsql as $$
begin
  perform pg_notify('error_keys_changed', coalesce(new.public_key, old.public_key));
  return null;
end
$$;
create trigger error_keys_changed after insert or update or delete on error_keys
  for each row execute function tell_error_key();

create function tell_error_keys_of_project() returns trigger language plpgsql as $$
begin
  perform pg_notify('error_keys_changed', public_key) from error_keys where project_id = new.id;
  return null;
end
$$;

-- Source maps of error projects, by the debug id that a build put into its files. Deleted ones stay
-- until no batch of events that is under way can need them (deleted_at, purge).
create table error_source_maps (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  project_id uuid not null references error_projects on delete cascade,
  debug_id uuid not null,
  -- those that came together
  upload_id uuid not null,
  file text not null,
  release text,
  -- JSON, packed by gzip
  packed bytea not null,
  -- what it takes in memory once it is read, about
  read_bytes bigint not null check (read_bytes >= 0),
  uploaded_at timestamptz not null,
  -- when a batch of events last needed it, to a day; the instant of its upload before that
  used_at timestamptz not null,
  deleted_at timestamptz
);

-- packed already
alter table error_source_maps alter column packed set storage external;
create unique index error_source_maps_current on error_source_maps (project_id, debug_id)
  where deleted_at is null;
create index error_source_maps_upload on error_source_maps (project_id, upload_id);
create index error_source_maps_account on error_source_maps (account_id);
create index error_source_maps_used on error_source_maps (used_at) where deleted_at is null;
create index error_source_maps_deleted on error_source_maps (deleted_at) where deleted_at is not null;
call isolate('error_source_maps');

-- Pieces of uploads that are under way, by what they hold.
create table error_upload_chunks (
  account_id uuid not null references accounts on delete cascade,
  sha1 bytea not null check (octet_length(sha1) = 20),
  bytes bytea not null,
  uploaded_at timestamptz not null,
  primary key (account_id, sha1)
);
alter table error_upload_chunks alter column bytes set storage external;
create index error_upload_chunks_age on error_upload_chunks (uploaded_at);
call isolate('error_upload_chunks');
create trigger error_projects_changed after update of scrub_names, keep_addresses, filter_messages,
    filter_releases, filter_environments, filter_browser_extensions, filter_localhost,
    filter_web_crawlers on error_projects
  for each row execute function tell_error_keys_of_project();

-- Parts of an account's month that were spent, each noted once: by whoever counted the event that
-- reached it, in that transaction, with what is mailed of it.
create table error_quota_notices (
  account_id uuid not null references accounts on delete cascade,
  -- its first day, UTC
  month date not null check (extract(day from month) = 1),
  percent smallint not null check (percent in (80, 100)),
  reached_at timestamptz not null,
  primary key (account_id, month, percent)
);
create index error_quota_notices_month on error_quota_notices (month, percent);
call isolate('error_quota_notices');

-- Who is told of what becomes of error issues.
create table error_rules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  enabled boolean not null,
  -- null: every project, also those that are made later
  project_ids uuid[],
  events text[] not null
    check (cardinality(events) > 0 and events <@ array['new_issue', 'regression', 'spike']),
  spike_of text not null check (spike_of in ('project', 'issue')),
  spike_span_minutes smallint not null check (spike_span_minutes in (5, 60)),
  spike_events_min integer not null check (spike_events_min between 1 and 1000000),
  spike_factor double precision not null check (spike_factor between 1 and 1000),
  -- null: every channel, also those that are made later
  channel_ids uuid[],
  email_users boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index error_rules_account on error_rules (account_id, created_at, id);
call isolate('error_rules');

-- How far a rule is, apart from it: whoever tells locks this row, and nobody who edits the rule waits.
create table error_rule_states (
  rule_id uuid primary key references error_rules on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  -- how many messages it caused since when, and what waits to be told together with the hour's end
  bound jsonb not null,
  -- when what waits is told; null: nothing waits
  tell_at timestamptz,
  -- spikes were looked for in spans up to here
  looked_at timestamptz
);
create index error_rule_states_due on error_rule_states (tell_at) where tell_at is not null;
create index error_rule_states_account on error_rule_states (account_id);
call isolate('error_rule_states');

-- Times of more events than usual, as a rule counts them: open until for one whole span there were not.
create table error_spikes (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  rule_id uuid not null references error_rules on delete cascade,
  project_id uuid not null references error_projects on delete cascade,
  -- null: of the whole project
  issue_id uuid references error_issues on delete cascade,
  -- the ends of the first and of the last span that had more
  began_at timestamptz not null,
  last_met_at timestamptz not null check (last_met_at >= began_at),
  ended_at timestamptz check (ended_at > last_met_at),
  -- whether its beginning was told by itself, so that its end is
  told boolean not null
);
create unique index error_spikes_open on error_spikes (rule_id, coalesce(issue_id, project_id))
  where ended_at is null;
create index error_spikes_account on error_spikes (account_id, began_at);
create index error_spikes_ended on error_spikes (ended_at) where ended_at is not null;
create index error_spikes_project on error_spikes (project_id);
create index error_spikes_issue on error_spikes (issue_id);
call isolate('error_spikes');

-- What began when, beside a check's or an incident's time.
create index error_issues_first_seen on error_issues (account_id, first_seen);
create index error_issues_regressed on error_issues (account_id, regressed_at)
  where regressed_at is not null;
create index error_project_releases_first_seen on error_project_releases (account_id, first_seen);
create index checks_asked_hosts on checks using gin (asked_hosts);
create index checks_asked_sites on checks using gin (asked_sites);
create index checks_asked_unknown on checks (id) where asked_hosts is null;

-- Requests that were asked for by hand, by host and minute. A crash may forget them.
create unlogged table asked_by_hand (
  minute timestamptz not null,
  host text not null,
  requests integer not null,
  primary key (minute, host)
);

-- Counts requests by hand for this minute. False, and nothing is counted, where it would be more of
-- one host than may be asked. What was before this minute is forgotten.
create function ask_by_hand(hosts text[], per_minute integer) returns boolean
language plpgsql volatile as $$
declare
  this_minute timestamptz := date_trunc('minute', clock_timestamp());
begin
  perform pg_advisory_xact_lock(727011, of_host.key)
    from (select distinct hashtext(host) as key from unnest(hosts) as host order by 1) as of_host;
  if exists (
    select from (select host, count(*) as requests from unnest(hosts) as host group by host) as asked
      left join asked_by_hand before
        on before.minute = this_minute and before.host = asked.host
    where asked.requests + coalesce(before.requests, 0) > per_minute
  ) then
    return false;
  end if;
  delete from asked_by_hand where ctid in (
    select ctid from asked_by_hand where minute < this_minute limit 1000 for update skip locked);
  insert into asked_by_hand (minute, host, requests)
    select this_minute, host, count(*) from unnest(hosts) as host group by host order by host
    on conflict (minute, host) do update set requests = asked_by_hand.requests + excluded.requests;
  return true;
end
$$;

-- Accounts whose tier changed, until what is stored of them is kept as long as it says.
create table retention_changes (
  account_id uuid primary key references accounts on delete cascade,
  changed_at timestamptz not null,
  -- the last check that is done with, in the order of ids; null: none yet
  done_through uuid
);
create index retention_changes_changed on retention_changes (changed_at);
call isolate('retention_changes');

-- Agents of an account's own. A check that runs from one names it as its only region:
-- `private-<id>`; revoked ones stay, since the history of their checks names them.
create table private_agents (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- sha-256 of the token, as of an API key
  token_hash bytea not null unique,
  -- enough to recognise the token by, never enough to use it
  hint text not null,
  created_at timestamptz not null,
  rotated_at timestamptz,
  revoked_at timestamptz,
  -- which life of the agent is the one that measures: a later one takes over
  session uuid,
  -- what it told of itself last
  version text,
  last_seen_at timestamptz,
  report jsonb,
  -- Which installation of a private agent measures: another one with its token waits until that one is silent.
  instance text
);
create index private_agents_account on private_agents (account_id, created_at, id);
call isolate('private_agents');
create index checks_private on checks ((regions[1])) where private;

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

-- Regions that many hosts accused and that kept their votes, since nothing but accounts' checks said so
-- or since half of the regions had lost theirs: for the operator to see whose hosts they were. No row
-- belongs to an account.
create table region_doubts (
  id uuid primary key,
  region text not null,
  why text not null check (why in ('unconfirmed', 'majority')),
  -- when it was seen first and last
  since timestamptz not null,
  last_at timestamptz not null,
  -- distinct hosts that were compared, and those of them that failed in this region only
  hosts integer not null,
  failing integer not null,
  -- {"refused": n, "examples": [host], "sources": {...}}, as it was seen last
  evidence jsonb not null
);
create index region_doubts_newest on region_doubts (last_at desc);
create index region_doubts_region on region_doubts (region, why, last_at desc);
create index accounts_suspended on accounts (id) where suspended_at is not null;

-- How many keys an account has, for every look-up of one of them.
create index api_keys_account on api_keys (account_id);

-- Requests that were asked for by hand, by host, minute and account. A crash may forget them.
create unlogged table asked_by_hand_of_account (
  minute timestamptz not null,
  host text not null,
  account_id uuid not null references accounts on delete cascade,
  requests integer not null,
  primary key (minute, host, account_id)
);
call isolate('asked_by_hand_of_account');

-- Counts requests by hand for this minute. False, and nothing is counted, where it would be more of one
-- host than all accounts or this one may ask. `floor_of_account` is what it may ask whatever others do, until
-- floors have doubled what all may ask. What was before this minute is forgotten.
create function ask_by_hand(
  hosts text[], per_minute integer, for_account uuid, of_account integer, floor_of_account integer
) returns boolean language plpgsql volatile as $$
declare
  this_minute timestamptz := date_trunc('minute', clock_timestamp());
begin
  perform pg_advisory_xact_lock(727011, of_host.key)
    from (select distinct hashtext(host) as key from unnest(hosts) as host order by 1) as of_host;
  if exists (
    select from (select host, count(*) as requests from unnest(hosts) as host group by host) as asked
      left join asked_by_hand before
        on before.minute = this_minute and before.host = asked.host
      left join asked_by_hand_of_account own
        on own.minute = this_minute and own.host = asked.host and own.account_id = for_account
      cross join lateral (select asked.requests + coalesce(before.requests, 0) as by_all,
        asked.requests + coalesce(own.requests, 0) as by_account) as next
    where next.by_account > of_account
      or (next.by_all > per_minute
        and (next.by_account > floor_of_account or next.by_all > 2 * per_minute))
  ) then
    return false;
  end if;
  delete from asked_by_hand where ctid in (
    select ctid from asked_by_hand where minute < this_minute limit 1000 for update skip locked);
  delete from asked_by_hand_of_account where ctid in (
    select ctid from asked_by_hand_of_account where minute < this_minute
    limit 1000 for update skip locked);
  insert into asked_by_hand (minute, host, requests)
    select this_minute, host, count(*) from unnest(hosts) as host group by host order by host
    on conflict (minute, host) do update set requests = asked_by_hand.requests + excluded.requests;
  insert into asked_by_hand_of_account (minute, host, account_id, requests)
    select this_minute, host, for_account, count(*) from unnest(hosts) as host
    group by host order by host
    on conflict (minute, host, account_id)
    do update set requests = asked_by_hand_of_account.requests + excluded.requests;
  return true;
end
$$;

-- Who uses what of which shared pool, as each process wrote it last. It is no record: a crash may forget it.
create unlogged table pool_shares (
  process uuid not null,
  written_at timestamptz not null,
  pool text not null,
  owner text not null,
  taken integer not null,
  waiting integer not null,
  primary key (process, pool, owner)
);
create index pool_shares_age on pool_shares (written_at);
create unique index accounts_operators on accounts (is_operators) where is_operators;

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
create index subscribers_mailbox on subscribers (mailbox);
create index subscribers_domain on subscribers (domain) where confirmed_at is not null;

-- Confirmation mails of a day (UTC) for an account's pages, and those that were not sent, by reason.
create table subscription_mails (
  account_id uuid not null references accounts on delete cascade,
  day date not null,
  outcome text not null,
  count integer not null,
  primary key (account_id, day, outcome)
);
call isolate('subscription_mails');

-- Confirmation mails of a day (UTC) to addresses of one domain, for whatever pages.
create table subscription_domains (
  domain text not null,
  day date not null,
  count integer not null,
  primary key (domain, day)
);

-- Browsers and networks that logged in to a user's account before: their attempts are counted apart from
-- everybody else's. A row holds no address: only who has SECRETS_KEY can tell which browser or network it is.
create table login_marks (
  -- hmac-sha-256 of the e-mail address with the browser's id or the network
  mark bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('browser', 'network')),
  seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index login_marks_user on login_marks (user_id, kind, seen_at);
create index login_marks_expired on login_marks (expires_at);
call isolate('login_marks');

-- Confirmation mails of a day (UTC) for an account's pages: to each domain, and asked for by each network,
-- of which only a hash is kept. Locked by the row of the account's day in subscription_mails.
create table subscription_shares (
  account_id uuid not null references accounts on delete cascade,
  day date not null,
  share text not null,
  count integer not null,
  primary key (account_id, day, share)
);
call isolate('subscription_shares');

-- The certificate that a check's target showed last in each region, and when.
create table check_certificates (
  check_id uuid not null references checks on delete cascade,
  region text not null,
  expires_at timestamptz not null,
  -- null and empty where only an agent of an older version has seen it
  valid_from timestamptz,
  issuer text,
  names text[] not null default '{}',
  name_count integer not null default 0,
  seen_at timestamptz not null,
  primary key (check_id, region)
);
create index check_certificates_expiry on check_certificates (expires_at);
call isolate_by_check('check_certificates');

-- What a rule has sent of a check's certificate or domain.
create table expiry_alerts (
  rule_id uuid not null references alert_rules on delete cascade,
  check_id uuid not null references checks on delete cascade,
  kind text not null check (kind in ('certificate', 'domain')),
  account_id uuid not null references accounts on delete cascade,
  state jsonb not null,
  primary key (rule_id, check_id, kind)
);
create index expiry_alerts_account on expiry_alerts (account_id);
create index expiry_alerts_check on expiry_alerts (check_id);
call isolate('expiry_alerts');

-- The domains that checks measure, each asked of its registry once a day over all accounts.
create table domains (
  name text primary key,
  -- when it may be asked next; written before it is asked, so that a crash asks no second time
  next_at timestamptz not null,
  -- what the registry told last; null where it has told nothing
  asked_at timestamptz,
  expires_at timestamptz,
  registrar text,
  -- what became of the last question
  outcome text
);
create index domains_next on domains (next_at);

-- The domain of each check, and what is known of it; an empty name where it has none that may be asked about.
create table check_domains (
  check_id uuid primary key references checks on delete cascade,
  name text not null,
  asked_at timestamptz,
  expires_at timestamptz,
  registrar text
);
create index check_domains_name on check_domains (name);
create index check_domains_expiry on check_domains (expires_at);
call isolate_by_check('check_domains');

-- When a domain of an account was last taken to be asked: who waited longest is next.
create table domain_turns (
  account_id uuid primary key references accounts on delete cascade,
  taken_at timestamptz not null
);
call isolate('domain_turns');
create index incident_members_unwell on incident_members (check_id) where left_as = 'degraded';

-- what a failure may join: incidents that are open, or have just been resolved
create index incidents_joinable on incidents (status_page_id, resolved_at)
  where source = 'automatic';

-- What went down under announced maintenance: its incident is opened when the window is over and it is
-- still down.
create table held_failures (
  status_page_id uuid not null references status_pages on delete cascade,
  check_id uuid not null references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  reason text,
  down_at timestamptz not null,
  -- when it must be looked at again
  next_at timestamptz not null,
  primary key (status_page_id, check_id)
);
create index held_failures_check on held_failures (check_id);
create index held_failures_next on held_failures (next_at);
call isolate('held_failures');

-- The regions all of whose agents measure at the phase that an assignment gives, and since when.
create table spread_regions (
  region text primary key,
  since timestamptz not null
);
grant select on spread_regions to probe_mesh_account;

-- Whether a revision made now of a check of these regions is spread. One region has nothing to spread. A
-- region counts after five minutes without an older agent.
create function is_spread(regions text[], at timestamptz) returns boolean language sql stable as $$
  select cardinality(regions) > 1 and regions <@ (
    select coalesce(array_agg(region), '{}') from spread_regions
    where since <= at - interval '5 minutes')
$$;

-- What of the mesh its operator was sent a message about and was not yet told to be over.
create table mesh_notices (
  region text not null,
  what text not null,
  since timestamptz not null,
  text text not null,
  -- since when it was not seen any more; null while it is
  gone_since timestamptz,
  primary key (region, what)
);

-- Which system this database is of: one row, written by the first control plane that starts on it.
-- ClickHouse and NATS carry the same id, so that a start on parts of two systems is refused.
create table system (
  one boolean primary key default true check (one),
  id uuid not null,
  -- when ClickHouse got the id: from then on a ClickHouse without it is another one
  clickhouse_marked_at timestamptz
);

-- A constant, sealed by SECRETS_KEY: a control plane with another key cannot open it.
create table secrets_proof (
  one boolean primary key default true check (one),
  sealed bytea not null
);

-- Which control planes may work on this database. A version is an epoch; versions from before epochs are of
-- epoch 0. A release that the versions before it cannot work beside raises `epoch`, and `least` to one below.
create table schema_epoch (
  one boolean primary key default true check (one),
  epoch integer not null,
  -- the oldest that may work here
  least integer not null,
  -- older ones hold no partition while one of this epoch or later lives: it replaced what they read from
  fence integer not null default 0
);
insert into schema_epoch (epoch, least) values (1, 0);

create function is_fenced(epoch integer) returns boolean language sql stable as $$
  select exists (
    select from schema_epoch s
      join control_planes c on c.epoch >= s.fence
      join pg_stat_activity a on a.pid = c.backend_pid and a.backend_start = c.backend_start
    where is_fenced.epoch < s.fence and c.seen_at > clock_timestamp() - interval '5 seconds')
$$;

-- A control plane that may not work here cannot say that it lives, and so loses its partitions within seconds:
-- versions that know nothing of epochs as well.
create function refuse_older_control_plane() returns trigger language plpgsql as $$
declare
  rule schema_epoch;
begin
  select * into rule from schema_epoch;
  if new.epoch < rule.least then
    raise exception 'this version is of epoch %, and the database takes epoch % or later: start a newer version',
      new.epoch, rule.least using errcode = 'PMOLD';
  end if;
  if is_fenced(new.epoch) then
    raise exception 'a newer control plane took over the partitions: replace this one by the newer version'
      using errcode = 'PMOLD';
  end if;
  return new;
end $$;
create trigger refuse_older before insert or update on control_planes
  for each row execute function refuse_older_control_plane();

-- Every time a check was down, published or not: from its first flip to `down` until a flip to a status in which
-- some region sees it up, or to the one of a pause. A trigger writes it, so that a flip of any version of the control
-- plane counts, and so that the outage is visible with its flip. Time without data is neither up nor down: it ends no
-- outage.
create table outages (
  -- the flip that began it
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  started_at timestamptz not null,
  -- null while no region has seen it up and it is not paused
  ended_at timestamptz,
  -- the versions of the flips that began and ended it
  start_version integer not null,
  end_version integer,
  reason text,
  -- the regions that saw it fail when it began; empty for a heartbeat, and where that was not recorded
  regions text[] not null default '{}'
);
create index outages_account on outages (account_id, started_at desc, id desc);
create index outages_of_check on outages (check_id, started_at desc);
create index outages_open_of_account on outages (account_id) where ended_at is null;
create unique index outages_open on outages (check_id) where ended_at is null;
call isolate('outages');

-- Whether some region sees a check up in this status.
create function is_seen_up(status text, none_up boolean) returns boolean language sql immutable as $$
  select status = 'operational' or (status = 'degraded' and not none_up)
$$;

create function record_outages() returns trigger language plpgsql as $$
declare
  flip record;
begin
  for flip in
    select flipped.id, flipped.check_id, flipped.version, flipped.to_status, flipped.none_up, flipped.reason,
      flipped.at, checks.account_id
    from flipped join checks on checks.id = flipped.check_id
    where flipped.to_status = 'down' or is_seen_up(flipped.to_status, flipped.none_up)
      or (checks.paused and flipped.to_status in ('stale', 'unknown'))
    order by flipped.check_id, flipped.version
  loop
    if flip.to_status = 'down' then
      insert into outages (id, account_id, check_id, started_at, start_version, reason, regions)
      select flip.id, flip.account_id, flip.check_id, flip.at, flip.version, flip.reason, array(
        select region from check_states join checks on checks.id = check_states.check_id
          cross join unnest(checks.regions) as region
        where check_states.check_id = flip.check_id
          and check_states.regions -> region ->> 'verdict' = 'down'
          -- about as long as a reading counts
          and (check_states.regions -> region -> 'measuredAt')::float8
            >= extract(epoch from flip.at) * 1000 - (3 * checks.interval_seconds + 5) * 1000
        order by region)
      on conflict do nothing;
    else
      update outages set ended_at = flip.at, end_version = flip.version
      where check_id = flip.check_id and ended_at is null;
    end if;
  end loop;
  return null;
end $$;
create trigger record_outages after insert on flips
  referencing new table as flipped for each statement execute function record_outages();

-- Each alert about a check for one receiver, the message that carried it, and when that was delivered. A digest
-- carries many. It stays when the message is pruned, and goes with the check.
create table alerted_checks (
  -- as of the alert message
  cause text primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  event text not null,
  -- when the rule decided to notify, and since when its alert was open
  at timestamptz not null,
  since timestamptz not null,
  -- null until it is sent
  delivery_id uuid,
  delivered_at timestamptz
);
create index alerted_checks_check on alerted_checks (check_id, at);
create index alerted_checks_delivery on alerted_checks (delivery_id);
call isolate('alerted_checks');

-- The incidents that a check was a member of.
create index incident_members_check on incident_members (check_id);

-- What every page of the dashboard counts.
create index incidents_open_of_account on incidents (account_id) where resolved_at is null;
create index error_issues_unresolved on error_issues (account_id) where status = 'unresolved';

-- What uptime is computed from, without the reasons: read for all checks of an account at once.
create index flips_uptime on flips (check_id, at desc, version desc) include (to_status, none_up);

-- what decides the headline of a page
create index incidents_open on incidents (status_page_id) where resolved_at is null;

-- The checks that the owner of an incident names, beside the one that it belongs to and the members that are
-- measured. By check, so that a component that is published anew is affected again.
create table incident_components (
  incident_id uuid not null references incidents on delete cascade,
  check_id uuid not null references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  position integer not null,
  primary key (incident_id, check_id)
);
create index incident_components_check on incident_components (check_id);
call isolate('incident_components');

-- An incident is deleted with its check. One that a person posted about several passes to the next of them.
create function pass_incidents_on() returns trigger language plpgsql as $$
begin
  update incidents set check_id = (
    select named.check_id from incident_components as named
    where named.incident_id = incidents.id and named.check_id <> old.id
    order by named.position limit 1)
  where check_id = old.id and source = 'manual' and exists (
    select from incident_components as named
    where named.incident_id = incidents.id and named.check_id <> old.id);
  return old;
end $$;
create trigger pass_incidents_on before delete on checks
  for each row execute function pass_incidents_on();

-- The uploaded logo of a page, decoded and encoded anew: one a page, and at most 512 KB.
create table status_page_logos (
  status_page_id uuid primary key references status_pages on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  -- of the image; it is in the address
  hash text not null,
  type text not null check (type in ('png', 'jpg', 'webp')),
  width integer not null,
  height integer not null,
  bytes bytea not null check (octet_length(bytes) <= 524288),
  created_at timestamptz not null
);

-- images are compressed already
alter table status_page_logos alter column bytes set storage external;
create index status_page_logos_account on status_page_logos (account_id);
call isolate('status_page_logos');

-- An open invitation to an account. The link holds 256 random bits, and this table their hash.
create table invitations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  token_hash bytea not null unique,
  -- the address of the member who invited
  invited_by text not null,
  -- the link went to the address only, so its holder owns the address
  mailed boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index invitations_email on invitations (account_id, lower(email));
create index invitations_expired on invitations (expires_at);
call isolate('invitations');

-- An address of somebody who is no member, with its confirmation for one account.
create table alert_addresses (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  -- the hash of the newest link; null: the link was used, or the receiver ended the mails
  confirm_hash bytea unique,
  confirm_before timestamptz not null,
  -- when the newest link was mailed
  asked_at timestamptz not null,
  confirmed_at timestamptz,
  -- when the receiver ended the mails; it stays, so that a rule does not ask again by itself
  ended_at timestamptz,
  created_at timestamptz not null
);
create unique index alert_addresses_email on alert_addresses (account_id, lower(email));
call isolate('alert_addresses');

-- What people did with the alerts of a check: acknowledged, snoozed or resolved. An alert holds its own state; this
-- is what the outage shows afterwards.
create table alert_acts (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  kind text not null check (kind in ('acknowledge', 'snooze', 'resolve')),
  -- the name of the member or key
  actor text not null,
  at timestamptz not null,
  -- of a snooze
  until timestamptz
);
create index alert_acts_check on alert_acts (check_id, at);
create index alert_acts_account on alert_acts (account_id);
call isolate('alert_acts');

-- The links of mails that acknowledge. A link holds 256 random bits, and this table their hash.
create table alert_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  -- null: the receiver is no member
  user_id uuid references users on delete cascade,
  address text not null,
  -- the flips that opened the alerts of the mail
  flip_ids uuid[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index alert_links_user on alert_links (user_id);
create index alert_links_account on alert_links (account_id);
create index alert_links_expired on alert_links (expires_at);
call isolate('alert_links');

-- An alert is named by the flip that opened it.
create index alerts_flip on alerts ((state ->> 'flipId'));

-- Who is on call, by turns. Members of a layer are named by id; one who is removed leaves a gap.
create table on_call_schedules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  time_zone text not null,
  layers jsonb not null,
  overrides jsonb not null,
  -- names the calendar; its address is signed, so that this table has no secret
  feed_id uuid not null unique,
  -- who was told to be on call, and when to look again
  on_call uuid,
  next_look_at timestamptz not null,
  created_at timestamptz not null
);
create index on_call_schedules_account on on_call_schedules (account_id);
create index on_call_schedules_next on on_call_schedules (next_look_at);
call isolate('on_call_schedules');

-- Who is notified of an alert, and when the next ones are.
create table escalation_policies (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  levels jsonb not null,
  repeats integer not null,
  repeat_after_minutes integer not null,
  created_at timestamptz not null
);
create index escalation_policies_account on escalation_policies (account_id);
call isolate('escalation_policies');
alter table alert_rules add foreign key (escalation_id) references escalation_policies;
create index alert_rules_escalation on alert_rules (escalation_id);

-- Each level that was reached, for the timeline of the outage; also one that reached no one.
create table alert_escalations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  policy text not null,
  -- both from 1
  level integer not null,
  round integer not null,
  receivers integer not null,
  -- schedules in which no one was on call
  gaps text[] not null,
  at timestamptz not null
);
create index alert_escalations_check on alert_escalations (check_id, at);
create index alert_escalations_account on alert_escalations (account_id);
call isolate('alert_escalations');

-- The checks that a check depends on, its parents. While a parent is down, the alerts of the check are held.
create table check_parents (
  check_id uuid not null references checks on delete cascade,
  parent_id uuid not null references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  primary key (check_id, parent_id),
  check (check_id <> parent_id)
);
create index check_parents_parent on check_parents (parent_id);
call isolate('check_parents');

-- The providers that a check was last seen behind in a region. Old rows do not count.
create table check_providers (
  check_id uuid not null references checks on delete cascade,
  region text not null,
  -- as named by the headers of its answers; empty: none; null: unknown
  cdn text,
  -- by its name servers; null: unknown
  dns text,
  seen_at timestamptz not null,
  primary key (check_id, region)
);
call isolate_by_check('check_providers');
create index heartbeats_advice_look on heartbeats (advice_look_at);

-- What people know about a check: what to read when it fails, notes, and who looks after it. No part of what is measured.
create table check_notes (
  check_id uuid primary key references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  runbook_url text,
  notes text not null default '',
  -- a member; null: nobody, or no longer a member
  owner_id uuid references users on delete set null
);
create index check_notes_owner on check_notes (owner_id);
create index check_notes_account on check_notes (account_id);
call isolate('check_notes');
create index checks_paused_until on checks (paused_until) where paused_until is not null;

-- A control plane of an earlier version resumes a check without clearing the end, which a later pause must not inherit.
create function forget_pause_end() returns trigger language plpgsql as $$
begin
  new.paused_until := null;
  return new;
end $$;
create trigger forget_pause_end before update of paused on checks
  for each row when (not new.paused and new.paused_until is not null)
  execute function forget_pause_end();

-- Filters of the list of checks that the members of an account named.
create table saved_filters (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- as in the address of the list
  query jsonb not null,
  created_at timestamptz not null
);
create unique index saved_filters_name on saved_filters (account_id, lower(name));
call isolate('saved_filters');

-- Service level objectives: a share of probes that should be up, of one check or of all checks with a tag.
create table objectives (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- percent
  target double precision not null,
  window_days integer not null,
  check_id uuid references checks on delete cascade,
  tag text,
  created_at timestamptz not null,
  -- The alert rule whose receivers learn that an objective burns; null: none does.
  alert_rule_id uuid references alert_rules on delete set null,
  -- Up probes that took longer count as failed; null: only probes that are down do.
  latency_ms_max integer,
  check ((check_id is null) <> (tag is null))
);
create index objectives_account on objectives (account_id);
create index objectives_check on objectives (check_id);
call isolate('objectives');

-- Secrets that the checks of an account name as {{ secret.name }}.
create table secrets (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- the hosts that it may be sent to
  hosts text[] not null,
  -- sealed with SECRETS_KEY
  value bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index secrets_name on secrets (account_id, lower(name));
call isolate('secrets');

-- The key that seals the secrets of a private agent's checks, itself sealed with SECRETS_KEY.
create table private_agent_keys (
  agent_id uuid primary key references private_agents on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  key bytea not null
);
create index private_agent_keys_account on private_agent_keys (account_id);
call isolate('private_agent_keys');

-- Times in which several unrelated hosts fell silent for a region at once, so that silence there counted as unmeasured:
-- a replay of stored readings has to know them. No row belongs to an account.
create table region_bursts (
  region text not null,
  -- silence that began at this time or later was not trusted
  since timestamptz not null,
  -- while the assessors applied it
  from_at timestamptz not null,
  to_at timestamptz not null,
  primary key (region, since)
);
create index region_bursts_ended on region_bursts (to_at);
create index objectives_alert_rule on objectives (alert_rule_id);

-- Pairs of windows of which receivers know that they burn.
create table burn_alerts (
  objective_id uuid not null references objectives on delete cascade,
  -- the longer window of the pair
  pair text not null,
  account_id uuid not null references accounts on delete cascade,
  since timestamptz not null,
  -- Who was told that a burn began, and is told of its end; null: not known, all receivers of its rule are.
  receivers uuid[],
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

-- Where the metrics and traces of an account are pushed by OTLP.
create table telemetry_endpoints (
  account_id uuid primary key references accounts on delete cascade,
  endpoint text not null,
  -- sealed for the account and this endpoint; null: none
  headers bytea,
  header_names text[] not null,
  updated_at timestamptz not null
);
call isolate('telemetry_endpoints');

-- The pushes of metrics and of traces, and how they go.
create table telemetry_pushes (
  account_id uuid not null references telemetry_endpoints on delete cascade,
  signal text not null,
  enabled boolean not null,
  -- the next push; while one runs, when it counts as lost
  due_at timestamptz not null,
  failures integer not null default 0,
  last_success_at timestamptz,
  last_error_at timestamptz,
  last_error text,
  sent bigint not null default 0,
  refused bigint not null default 0,
  dropped bigint not null default 0,
  -- traces: every minute before this one is settled
  settled_to timestamptz not null,
  -- traces: how many runs of a minute since then were pushed, by its begin in Unix ms
  pushed jsonb not null default '{}',
  primary key (account_id, signal)
);
create index telemetry_pushes_due on telemetry_pushes (due_at) where enabled;
call isolate('telemetry_pushes');
