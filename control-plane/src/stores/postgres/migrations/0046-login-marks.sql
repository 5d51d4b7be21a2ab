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
