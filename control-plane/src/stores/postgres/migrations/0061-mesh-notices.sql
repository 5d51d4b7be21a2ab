-- What of the mesh its operator was sent a message about and was not yet told to be over.
create table mesh_notices (
  region text not null,
  what text not null,
  since timestamptz not null,
  text text not null,
  -- since when it was not seen any more; null while it is
  gone_since timestamptz,
  primary key (region, what)
);
