-- Who was told that a burn began, and is told of its end; null: not known, all receivers of its rule are.
alter table burn_alerts add column receivers uuid[];
