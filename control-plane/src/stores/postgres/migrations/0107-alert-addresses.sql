-- Members and addresses that a rule mails, besides all members. A version before this one mails neither.
alter table alert_rules
  add column user_ids uuid[] not null default '{}',
  add column addresses text[] not null default '{}';

-- An address of somebody who is no member, with its confirmation for one account.
create table alert_addresses (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  -- the hash of the newest link; null: the link was used, or the receiver ended the mails
  confirm_hash bytea unique,
  confirm_before timestamptz not null,
  -- when the newest link was mailed
  asked_at timestamptz not null,
  confirmed_at timestamptz,
  -- when the receiver ended the mails; it stays, so that a rule does not ask again by itself
  ended_at timestamptz,
  created_at timestamptz not null
);
create unique index alert_addresses_email on alert_addresses (account_id, lower(email));
call isolate('alert_addresses');
