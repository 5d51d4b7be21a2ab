-- Who reads and writes: the verbs of an account as probe_mesh_account, which sees one account at a
-- time; loops, keys and the operator as probe_mesh_system. Neither owns a table nor passes by row-level
-- security. Roles belong to the whole server: another database of it may have made them.
do $$
declare
  name text;
begin
  foreach name in array array['probe_mesh_account', 'probe_mesh_system'] loop
    if not exists (select from pg_roles where rolname = name) then
      begin
        execute format('create role %I nologin nosuperuser nobypassrls', name);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
    -- a superuser may act as any role
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant %I to %I', name, current_user);
    end if;
  end loop;
end
$$;

grant usage on schema public to probe_mesh_account, probe_mesh_system;
grant select, insert, update, delete on all tables in schema public to probe_mesh_system;
alter default privileges in schema public grant select, insert, update, delete on tables
  to probe_mesh_system;
-- The verbs of an account reach the tables that are isolated, and may tell something.
grant insert on outbox to probe_mesh_account;

-- The account that a transaction acts for; null, which equals nothing, where none was chosen.
create function current_account() returns uuid language sql stable as
  $$ select nullif(current_setting('app.account', true), '')::uuid $$;

-- Opens a table to verbs, and to each only the rows of which `belongs` is true.
create procedure isolate_where(name regclass, belongs text) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('grant select, insert, update, delete on %s to probe_mesh_account', name);
  execute format('create policy of_account on %s to probe_mesh_account using (%s) with check (%s)',
    name, belongs, belongs);
  execute format('create policy of_system on %s to probe_mesh_system using (true) with check (true)', name);
  -- whoever owns the tables migrates and looks after them, by hand if need be
  execute format('create policy of_owner on %s to %I using (true) with check (true)', name, current_user);
end
$$;

-- Every table with an account id calls this, in the migration that makes it.
create procedure isolate(name regclass, account_column name default 'account_id')
language plpgsql as $$
begin
  call isolate_where(name, format('%I = current_account()', account_column));
end
$$;

-- Every table that belongs to an account through its check calls this: verbs see no check of others.
create procedure isolate_by_check(name regclass) language plpgsql as $$
begin
  call isolate_where(name, 'exists (select from checks where checks.id = check_id)');
end
$$;

call isolate('accounts', 'id');
call isolate('users');
call isolate('api_keys');
call isolate('checks');
call isolate('deleted_checks');
call isolate_by_check('check_states');
call isolate_by_check('check_revisions');
call isolate_by_check('flips');
call isolate_by_check('heartbeats');
call isolate_by_check('heartbeat_runs');

-- Who wrote what, from where: a row for every write, in the transaction of that write.
create table audit_log (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null,
  -- an API key, a user of the dashboard, or the operator at the machine
  actor_kind text not null check (actor_kind in ('key', 'user', 'operator')),
  actor_id text,
  actor_name text not null,
  -- the address that the request came from; null for the operator
  address text,
  -- the route's or act's name: createCheck, revokeKey
  action text not null,
  resource_type text not null,
  resource_id text not null
);
create index audit_log_newest on audit_log (account_id, at desc, id desc);
call isolate('audit_log');
-- what was noted stays as it was noted
revoke update, delete on audit_log from probe_mesh_account;
