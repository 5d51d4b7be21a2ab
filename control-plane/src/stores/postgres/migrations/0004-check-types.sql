-- What a check's type holds besides the columns: steps or settings (contracts/check-config).
alter table checks add column config jsonb not null default '{"type": "http"}';
