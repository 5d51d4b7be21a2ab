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

-- "An account has at least one page": those that are there already get theirs. Names make slugs of
-- 30 characters at most; of accounts with the same one all but the oldest have their id in it, which
-- makes it longer than that, so that no two are alike.
insert into status_pages (id, account_id, name, slug, theme_preset, font, locale, created_at, updated_at)
select
  -- a UUIDv7 (RFC 9562 5.7): a random one with the time in its first 48 bits, and its version
  encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from now()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid,
  id, name,
  case when place = 1 then base else base || '-' || replace(id::text, '-', '') end,
  'system', 'system', 'en', now(), now()
from (
  select id, name, base, row_number() over (partition by base order by created_at, id) as place
  from accounts, lateral (select coalesce(nullif(rtrim(left(
    trim(both '-' from regexp_replace(lower(name collate "C"), '[^a-z0-9]+', '-', 'g')), 30), '-'), ''),
    'status') as base) as slugs
) as named;

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
  created_at timestamptz not null
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
  created_at timestamptz not null
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
  created_at timestamptz not null
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
