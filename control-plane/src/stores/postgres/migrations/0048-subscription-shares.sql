-- Confirmation mails of a day (UTC) for an account's pages: to each domain, and asked for by each network,
-- of which only a hash is kept. Locked by the row of the account's day in subscription_mails.
create table subscription_shares (
  account_id uuid not null references accounts on delete cascade,
  day date not null,
  share text not null,
  count integer not null,
  primary key (account_id, day, share)
);
call isolate('subscription_shares');
