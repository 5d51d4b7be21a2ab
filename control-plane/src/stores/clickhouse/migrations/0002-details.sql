-- What a type notes of a run besides, and a failed page's picture: empty for nearly every reading.
alter table readings_raw add column if not exists details String default '' codec(ZSTD(1));

alter table readings_raw add column if not exists screenshot String default '' codec(ZSTD(1));
