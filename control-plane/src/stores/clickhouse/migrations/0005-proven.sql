-- Whether a failure without an answer was proven not to be our own network's: replays judge by it.
alter table readings_raw add column if not exists proven Bool default false codec(ZSTD(1));
