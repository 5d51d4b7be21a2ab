-- Error tracking: what Sentry SDKs report to. The occurrences themselves are ClickHouse's.
create table error_projects (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- the project in a DSN's path, which SDKs want to be a number
  number bigint generated always as identity unique,
  -- the user in a DSN: it is in every page that reports, and no secret
  public_key text not null unique check (public_key ~ '^[0-9a-f]{32}$'),
  created_at timestamptz not null
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
  unique (project_id, fingerprint_version, fingerprint)
);
-- A search reads a project's issues in this order. An index of parts of words would go unused: row-level
-- security lets no condition on text run ahead of it.
create index error_issues_newest on error_issues (project_id, last_seen desc, id desc);
create index error_issues_account on error_issues (account_id);
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
  outcome text not null check (outcome in ('stored', 'quota', 'rate', 'size', 'invalid', 'duplicate',
    'filtered', 'scrub', 'store')),
  account_id uuid not null references accounts on delete cascade,
  events bigint not null check (events >= 0),
  primary key (project_id, month, outcome)
);
create index error_counts_account on error_counts (account_id, month);
call isolate('error_counts');
