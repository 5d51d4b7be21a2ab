-- What decides the status of a check, as set in the dashboard; null: the default. No part of a revision: agents measure
-- the same. An older control plane leaves it as it is, and judges by the default.
alter table checks add column status_rule jsonb;
