import type { Sql } from './connect.ts'

/** The permissions of our database role that the first migrations need. */
export type RoleFacts = {
  name: string
  isSuperuser: boolean
  mayCreateRoles: boolean
  /** Such as 15. */
  serverMajor: number
  /** How many of our two roles exist on the server, and how many of those this role may grant. */
  present: number
  grantable: number
}

const ours = ['probe_mesh_account', 'probe_mesh_system']

export const roleFacts = async (sql: Sql): Promise<RoleFacts | null> => {
  const [row] = await sql<RoleFacts[]>`
    select r.rolname as name, r.rolsuper as "isSuperuser", r.rolcreaterole as "mayCreateRoles",
      current_setting('server_version_num')::integer / 10000 as "serverMajor",
      (select count(*)::integer from pg_roles where rolname = any(${ours})) as present,
      (select count(distinct m.roleid)::integer
        from pg_auth_members m join pg_roles g on g.oid = m.roleid
        where g.rolname = any(${ours}) and m.member = r.oid and m.admin_option) as grantable
    from pg_roles r where r.rolname = current_user`
  return row ?? null
}

/** Before version 16, a role that may create roles may grant any role. */
const majorOfStricterGrants = 16

/** The statement that the first migrations need to succeed; null: none is needed. */
export const missingRight = (role: RoleFacts): string | null => {
  if (role.isSuperuser) return null
  const name = `"${role.name.replaceAll('"', '""')}"`
  const isStrict = role.serverMajor >= majorOfStricterGrants
  const mustCreate = role.present < ours.length
  const mustGrant = role.grantable < role.present
  if (!role.mayCreateRoles && (mustCreate || (mustGrant && !isStrict))) {
    return `alter role ${name} createrole`
  }
  return mustGrant && isStrict ? `grant ${ours.join(', ')} to ${name} with admin option` : null
}

/** A right that a role of ours lost. */
export type LostRight = { table: string; role: string; right: string }

/**
 * Rights that our roles lost. The migrations give the system's role every table but their own list, and that of
 * accounts those with its policy.
 */
export const findLostRights = async (sql: Sql, tables: readonly string[]): Promise<LostRight[]> =>
  await sql<LostRight[]>`
    with present as (
      select name, to_regclass(format('public.%I', name))::oid as id from unnest(${[...tables]}::text[]) as name
    )
    select name as "table", role, "right" from present, unnest(${ours}::text[]) as role,
      unnest(array['select', 'insert', 'update', 'delete']) as "right"
    where id is not null and not has_table_privilege(role, id, "right")
      and (role = 'probe_mesh_system' or ("right" in ('select', 'insert') and exists (
        select from pg_policy where polrelid = id and polname = 'of_account')))
    order by 1, 2, 3`
