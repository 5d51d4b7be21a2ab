-- What all keys of an account use together is counted like one key, under the account's id.
alter table budgets drop constraint budgets_key_id_fkey;

-- How many keys an account has, for every look-up of one of them.
create index api_keys_account on api_keys (account_id);
