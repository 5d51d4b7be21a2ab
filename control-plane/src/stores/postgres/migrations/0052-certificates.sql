-- The certificate that a check's target showed last in each region, and when.
create table check_certificates (
  check_id uuid not null references checks on delete cascade,
  region text not null,
  expires_at timestamptz not null,
  -- null and empty where only an agent of an older version has seen it
  valid_from timestamptz,
  issuer text,
  names text[] not null default '{}',
  name_count integer not null default 0,
  seen_at timestamptz not null,
  primary key (check_id, region)
);
create index check_certificates_expiry on check_certificates (expires_at);
call isolate_by_check('check_certificates');

-- How many days before a certificate, or the registration of a domain, expires a rule notifies; empty: never.
alter table alert_rules add column certificate_days integer[] not null default '{14,7,1}';
alter table alert_rules add column domain_days integer[] not null default '{14,7,1}';

-- What a rule has sent of a check's certificate or domain.
create table expiry_alerts (
  rule_id uuid not null references alert_rules on delete cascade,
  check_id uuid not null references checks on delete cascade,
  kind text not null check (kind in ('certificate', 'domain')),
  account_id uuid not null references accounts on delete cascade,
  state jsonb not null,
  primary key (rule_id, check_id, kind)
);
create index expiry_alerts_account on expiry_alerts (account_id);
create index expiry_alerts_check on expiry_alerts (check_id);
call isolate('expiry_alerts');
