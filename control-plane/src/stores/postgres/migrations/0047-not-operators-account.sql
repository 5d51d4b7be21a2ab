-- The oldest account that the audit log names as made by an operator may be a customer's, where what is
-- older has left the log. Only the oldest account of all, but for the catalog's, is the operator's own.
update accounts set is_operators = false
where is_operators and exists (
  select from accounts as older
  where older.id <> '0ca7a106-0000-8000-8000-000000000000'
    and (older.created_at, older.id) < (accounts.created_at, accounts.id)
);
