-- The account of the catalog's checks (catalog/catalog-checks.ts) is nobody's: whoever could be its
-- user, or had a key of it, would decide what everybody is told of a service.
alter table users add constraint users_not_of_catalog
  check (account_id <> '0ca7a106-0000-8000-8000-000000000000');
alter table api_keys add constraint api_keys_not_of_catalog
  check (account_id <> '0ca7a106-0000-8000-8000-000000000000');
