-- The account that the operator made at the first start. TARGET_ALLOW opens addresses for its
-- notification channels where CHANNEL_ALLOW is not set; for no other account.
alter table accounts add column is_operators boolean not null default false;
create unique index accounts_operators on accounts (is_operators) where is_operators;

update accounts set is_operators = true
where id = (
  select accounts.id
  from accounts join audit_log on audit_log.account_id = accounts.id
  where audit_log.actor_kind = 'operator' and audit_log.action = 'createAccount'
  order by accounts.created_at, accounts.id limit 1
);
