-- A check is degraded and no region sees it up: every probe is refused, or too few regions saw it fail.
-- That time is neither up nor down. A flip may keep the status where only this changes.
alter table check_states add column none_up boolean not null default false;
-- when only a mark changed last since the status did
alter table check_states add column marked_at timestamptz;
alter table flips add column none_up boolean not null default false;
-- what is on record of refusals says so in its reason
update flips set none_up = true where to_status = 'degraded' and reason like 'blocked (%';
