-- Whether an address was shown to be its user's: by a mailed link, or by the operator. Users that
-- exist count as confirmed.
alter table users add column confirmed_at timestamptz;
update users set confirmed_at = created_at;

-- Many addresses of one mailbox are one: a+1@example.org is a@example.org.
alter table subscribers add column mailbox text not null
  generated always as (lower(regexp_replace(email, '\+[^@]*@', '@'))) stored;
create index subscribers_mailbox on subscribers (mailbox);
alter table subscribers add column domain text not null
  generated always as (lower(substring(email from '[^@]*$'))) stored;
create index subscribers_domain on subscribers (domain) where confirmed_at is not null;

-- Confirmation mails of a day (UTC) for an account's pages, and those that were not sent, by reason.
create table subscription_mails (
  account_id uuid not null references accounts on delete cascade,
  day date not null,
  outcome text not null,
  count integer not null,
  primary key (account_id, day, outcome)
);
call isolate('subscription_mails');

-- Confirmation mails of a day (UTC) to addresses of one domain, for whatever pages.
create table subscription_domains (
  domain text not null,
  day date not null,
  count integer not null,
  primary key (domain, day)
);
