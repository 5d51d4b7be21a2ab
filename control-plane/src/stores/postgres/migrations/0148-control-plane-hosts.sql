-- Where a control plane runs and with which settings, for the doctor: host, port, pid, version, regions. A row
-- of a control plane that ended without a stop stays for a day, or until its host and port are used again.
alter table control_planes add column about jsonb;
