-- The name of the certificate above that of a target which ends first; null where its own does. `expires_at` is the
-- end of the chain: when clients stop to accept it.
alter table check_certificates add column ends_with text;
