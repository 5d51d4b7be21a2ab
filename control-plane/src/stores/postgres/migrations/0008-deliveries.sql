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
  open_until timestamptz
);
create index notification_channels_account on notification_channels (account_id, created_at, id);
call isolate('notification_channels');

-- One message to one receiver. Its id goes along and stays the same at every try, so that a
-- receiver which has seen it can tell.
create table deliveries (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
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
  check ((kind = 'channel') = (channel_id is not null)),
  check ((kind = 'mail') = (recipient is not null))
);
create index deliveries_mail on deliveries (next_attempt_at) where state = 'pending' and kind = 'mail';
create index deliveries_channel on deliveries (channel_id, sequence) where state = 'pending';
create index deliveries_claimed on deliveries (channel_id)
  where state = 'pending' and claimed_until is not null;
create index deliveries_expiring on deliveries (expires_at) where state = 'pending';
create index deliveries_done on deliveries (created_at) where state <> 'pending';
create index deliveries_account on deliveries (account_id, sequence desc);
call isolate('deliveries');
