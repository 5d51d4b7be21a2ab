-- Tags by which people group checks.
alter table checks add column tags text[] not null default '{}';
