-- How a push is encoded: JSON, or protobuf for receivers that read nothing else.
alter table telemetry_endpoints add column encoding text not null default 'json';
