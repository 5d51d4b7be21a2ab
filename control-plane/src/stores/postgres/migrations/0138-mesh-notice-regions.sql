-- A notice is about all regions of its fault; empty: of the one in `region`, as an earlier version wrote it.
alter table mesh_notices add column regions text[] not null default '{}';
