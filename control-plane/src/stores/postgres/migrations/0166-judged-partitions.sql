-- Up to when the messages of a partition were judged as they arrived, by the clock of the stream: a reading that was
-- too late to count then is too late when the next owner judges it again. Written only after such a reading.
create table judged_partitions (
  partition smallint primary key,
  judged_until timestamptz not null
);
