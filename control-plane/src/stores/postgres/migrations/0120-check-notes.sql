-- What people know about a check: what to read when it fails, notes, and who looks after it. No part of what is measured.
create table check_notes (
  check_id uuid primary key references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  runbook_url text,
  notes text not null default '',
  -- a member; null: nobody, or no longer a member
  owner_id uuid references users on delete set null
);
create index check_notes_owner on check_notes (owner_id);
create index check_notes_account on check_notes (account_id);
call isolate('check_notes');
