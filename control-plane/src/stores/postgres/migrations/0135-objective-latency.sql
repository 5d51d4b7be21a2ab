-- Up probes that took longer count as failed; null: only probes that are down do.
alter table objectives add column latency_ms_max integer;
