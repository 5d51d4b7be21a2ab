-- The zone of times in messages: to a member, and to the channels and other addresses of an account. IANA names.
alter table users add column time_zone text not null default 'UTC';
alter table accounts add column time_zone text not null default 'UTC';
