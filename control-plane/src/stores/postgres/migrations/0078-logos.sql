-- The uploaded logo of a page, decoded and encoded anew: one a page, and at most 512 KB.
create table status_page_logos (
  status_page_id uuid primary key references status_pages on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  -- of the image; it is in the address
  hash text not null,
  type text not null check (type in ('png', 'jpg', 'webp')),
  width integer not null,
  height integer not null,
  bytes bytea not null check (octet_length(bytes) <= 524288),
  created_at timestamptz not null
);
-- images are compressed already
alter table status_page_logos alter column bytes set storage external;
create index status_page_logos_account on status_page_logos (account_id);
call isolate('status_page_logos');
