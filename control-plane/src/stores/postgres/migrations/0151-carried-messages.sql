-- What a delivery to a channel says, until it is sent: a delivery that was never tried is taken back after a while,
-- so that what it says is composed when it is first tried. An earlier version writes none, and its deliveries stay.
create table carried_messages (
  -- as of the alert message
  cause text primary key,
  sequence bigint not null,
  delivery_id uuid not null references deliveries on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  receiver_id uuid not null,
  -- no reference, which would lock the check after its waiting messages: whoever deletes it locks in the other order
  check_id uuid not null,
  message jsonb not null,
  created_at timestamptz not null
);
create index carried_messages_delivery on carried_messages (delivery_id);
create index carried_messages_check on carried_messages (check_id);
call isolate('carried_messages');
