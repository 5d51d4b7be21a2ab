-- The private agents that may open a secret. null: an earlier version stored it, and the next start sets it.
alter table secrets add column agents uuid[];

-- Where a secret may be sent, with scheme and port. null: as above. `hosts` says the same to earlier versions.
alter table secrets add column sent_to text[];
