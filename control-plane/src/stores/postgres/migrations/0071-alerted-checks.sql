-- Each alert about a check for one receiver, the message that carried it, and when that was delivered. A digest
-- carries many. It stays when the message is pruned, and goes with the check.
create table alerted_checks (
  -- as of the alert message
  cause text primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  event text not null,
  -- when the rule decided to notify, and since when its alert was open
  at timestamptz not null,
  since timestamptz not null,
  -- null until it is sent
  delivery_id uuid,
  delivered_at timestamptz
);
create index alerted_checks_check on alerted_checks (check_id, at);
create index alerted_checks_delivery on alerted_checks (delivery_id);
call isolate('alerted_checks');

-- The incidents that a check was a member of.
create index incident_members_check on incident_members (check_id);
