-- Who sent what could not be read, for its share of what is kept: a region, or what is read of it.
alter table poison_messages add column owner text not null default 'unknown';
