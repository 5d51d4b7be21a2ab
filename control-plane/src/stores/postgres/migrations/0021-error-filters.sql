-- What of a project's events is dropped at the door because its owner does not want it. Patterns are
-- globs: a star stands for anything, every other character for itself.
alter table error_projects
  add column filter_messages text[] not null default '{}',
  add column filter_releases text[] not null default '{}',
  add column filter_environments text[] not null default '{}',
  add column filter_browser_extensions boolean not null default false,
  add column filter_localhost boolean not null default false,
  add column filter_web_crawlers boolean not null default false;

-- The door remembers filters with a project's keys, as it does what is scrubbed.
drop trigger error_projects_changed on error_projects;
create trigger error_projects_changed after update of scrub_names, keep_addresses, filter_messages,
    filter_releases, filter_environments, filter_browser_extensions, filter_localhost,
    filter_web_crawlers on error_projects
  for each row execute function tell_error_keys_of_project();

-- The release whose occurrence opened an issue again at regressed_at; null where it named none.
alter table error_issues add column regressed_release text;

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
