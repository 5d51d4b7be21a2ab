-- The name of the certificate above that of a target which ends first; null where its own does. `expires_at` is the
-- end of the chain: when clients stop to accept it.
alter table check_certificates add column ends_with text;

-- What became of the last query of a registry, and when it was; also beside the check, which says why it has no date.
alter table domains add column tried_at timestamptz;
alter table check_domains add column outcome text, add column tried_at timestamptz;
update domains set tried_at = asked_at where outcome = 'told';
update check_domains set outcome = domains.outcome, tried_at = domains.tried_at
from domains where domains.name = check_domains.name and domains.outcome is not null;
