-- An outage that too few regions could confirm, since a quarantine kept the votes of others: a check is
-- degraded or stale then, and is told of nevertheless.
alter table check_states add column unconfirmed boolean not null default false;
-- a flip may keep the status where only this changes: it is told to alert rules alone
alter table flips add column unconfirmed boolean not null default false;
alter table alert_rules add column unconfirmed boolean not null default true;
update alert_rules set unconfirmed = false where not ('down' = any(statuses));
