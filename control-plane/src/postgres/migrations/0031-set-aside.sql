-- Who sent what could not be read, for its share of what is kept: a region, or what is read of it.
alter table poison_messages add column owner text not null default 'unknown';

-- Messages of the streams that a process began to read and did not survive. A row with `last` above
-- `first` is a range in which one of them is looked for; one of a single message that a process died
-- on is put aside unread.
create table message_attempts (
  consumer text not null,
  partition smallint not null,
  first bigint not null,
  last bigint not null,
  -- when the stream took the first, Unix ms: numbers begin again where a stream is made anew
  stored_at_ms bigint not null,
  -- whether a process is reading it now, or was when it died
  under_way boolean not null,
  deaths smallint not null default 0,
  at timestamptz not null,
  primary key (consumer, partition, first, last)
);
