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
