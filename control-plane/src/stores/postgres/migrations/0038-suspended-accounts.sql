-- A suspended account: its keys, sessions and agents are refused, its channels and mails are silent.
alter table accounts add column suspended_at timestamptz;
create index accounts_suspended on accounts (id) where suspended_at is not null;

-- Checks that were paused because their account was suspended: they run again when it is resumed.
alter table checks add column suspended boolean not null default false;
