-- The domains that checks measure, each asked of its registry once a day over all accounts.
create table domains (
  name text primary key,
  -- when it may be asked next; written before it is asked, so that a crash asks no second time
  next_at timestamptz not null,
  -- what the registry told last; null where it has told nothing
  asked_at timestamptz,
  expires_at timestamptz,
  registrar text,
  -- what became of the last question
  outcome text
);
create index domains_next on domains (next_at);

-- The domain of each check, and what is known of it; an empty name where it has none that may be asked about.
create table check_domains (
  check_id uuid primary key references checks on delete cascade,
  name text not null,
  asked_at timestamptz,
  expires_at timestamptz,
  registrar text
);
create index check_domains_name on check_domains (name);
create index check_domains_expiry on check_domains (expires_at);
call isolate_by_check('check_domains');

-- When a domain of an account was last taken to be asked: who waited longest is next.
create table domain_turns (
  account_id uuid primary key references accounts on delete cascade,
  taken_at timestamptz not null
);
call isolate('domain_turns');
