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

-- The mail with that link belongs to no account either: nobody's outbox shows it.
alter table deliveries alter column account_id drop not null;
alter table deliveries add constraint deliveries_of_nobody
  check (account_id is not null or kind = 'mail');
