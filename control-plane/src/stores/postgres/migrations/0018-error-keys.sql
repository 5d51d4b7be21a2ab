-- What the set-up of an SDK is shown for.
alter table error_projects add column platform text not null default 'other'
  check (platform in ('node', 'browser', 'python', 'other'));

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
insert into error_keys (id, account_id, project_id, public_key, created_at)
  select gen_random_uuid(), account_id, id, public_key, created_at from error_projects;
alter table error_projects drop column public_key;
call isolate('error_keys');

-- How an issue was resolved, for what arrives of it later; both say nothing of other statuses.
alter table error_issues
  add column resolved_at timestamptz,
  -- occurrences of releases that were known at resolved_at do not open it again
  add column resolved_in_next_release boolean not null default false;

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
