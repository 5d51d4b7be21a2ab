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
  created_at timestamptz not null
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
create index error_project_releases_account on error_project_releases (account_id);
call isolate('error_project_releases');

-- When it was last opened again by an occurrence after it was resolved.
alter table error_issues add column regressed_at timestamptz;

-- What is scrubbed besides what always is.
alter table error_projects
  add column scrub_names text[] not null default '{}',
  add column keep_addresses boolean not null default false;

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
create trigger error_projects_changed after update of scrub_names, keep_addresses on error_projects
  for each row execute function tell_error_keys_of_project();
