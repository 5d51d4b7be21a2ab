-- What replaced a deleted check, and the sha-256 of the input that asked for it: the same request, repeated, gets
-- the same check. null: it was deleted without a replacement.
alter table deleted_checks add column replaced_by uuid, add column replace_hash bytea;
