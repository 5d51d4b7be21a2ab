import type { ComponentRecord, PublishedCheck, PublishedComponent } from './page-record.ts'
import { stateColumns, toState, type StateColumns } from '../../status/state-columns.ts'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

type ComponentRow = ComponentRecord & Omit<PublishedCheck, 'state'> & StateColumns

const toComponent = (row: ComponentRow): PublishedComponent => {
  const { type, paused, regions, intervalSeconds, ...rest } = row
  const { status, statusReason, statusSinceMs, version, stateRegions, ...component } = rest
  const state = toState({ status, statusReason, statusSinceMs, version, stateRegions })
  return { ...component, check: { type, paused, regions, intervalSeconds, state } }
}

const published = (db: Connection) => db`
  select components.id, components.account_id as "accountId", status_page_id as "statusPageId",
    components.check_id as "checkId", display_name as "displayName", description, position,
    group_name as "groupName",
    ${epochMs(db, 'components.created_at')} as "createdAtMs",
    ${epochMs(db, 'components.updated_at')} as "updatedAtMs", checks.type, checks.paused, checks.regions,
    checks.interval_seconds as "intervalSeconds", ${stateColumns(db)}
  from components
    join checks on checks.id = components.check_id
    left join check_states on check_states.check_id = components.check_id`

/** As pages show them: arranged components first, new ones behind them. */
const inOrder = (db: Connection) =>
  db`order by components.position nulls last, components.created_at, components.id`

/** The components of these pages with the states of their checks, in the order of their page. */
export const findComponents = async (
  db: Connection,
  statusPageIds: readonly string[],
): Promise<PublishedComponent[]> => {
  const rows = await db<ComponentRow[]>`
    ${published(db)}
    where components.status_page_id = any(${[...statusPageIds]}::uuid[])
    ${inOrder(db)}`
  return rows.map(toComponent)
}

/** The components of all pages of an account, in the order of each page. */
export const findComponentsOfAccount = async (
  db: Connection,
  accountId: string,
): Promise<PublishedComponent[]> => {
  const rows = await db<ComponentRow[]>`
    ${published(db)}
    where components.account_id = ${accountId}
    ${inOrder(db)}`
  return rows.map(toComponent)
}

/** One component of an account's page. Another account's is null like a missing one. */
export const findComponent = async (
  db: Connection,
  of: { accountId: string; statusPageId: string; componentId: string },
): Promise<PublishedComponent | null> => {
  const [row] = await db<ComponentRow[]>`
    ${published(db)}
    where components.id = ${of.componentId} and components.status_page_id = ${of.statusPageId}
      and components.account_id = ${of.accountId}`
  return row === undefined ? null : toComponent(row)
}

/** The pages that publish a check, which get its automatic incidents. */
export const findPagesPublishing = async (db: Connection, checkId: string): Promise<string[]> => {
  const rows = await db<{ status_page_id: string }[]>`
    select status_page_id from components where check_id = ${checkId} order by created_at, id`
  return rows.map((row) => row.status_page_id)
}

/** The ones among these checks that a page publishes. */
export const findPublished = async (
  db: Connection,
  statusPageId: string,
  checkIds: readonly string[],
): Promise<Set<string>> => {
  const rows = await db<{ check_id: string }[]>`
    select check_id from components
    where status_page_id = ${statusPageId} and check_id = any(${[...checkIds]}::uuid[])`
  return new Set(rows.map((row) => row.check_id))
}

/** @returns false, with nothing written, when the page already publishes the check */
export const insertComponent = async (tx: Transaction, component: ComponentRecord): Promise<boolean> => {
  const rows = await tx`
    insert into components (id, account_id, status_page_id, check_id, display_name, description,
      created_at, updated_at)
    values (${component.id}, ${component.accountId}, ${component.statusPageId},
      ${component.checkId}, ${component.displayName}, ${component.description},
      ${new Date(component.createdAtMs)}, ${new Date(component.updatedAtMs)})
    on conflict (status_page_id, check_id) do nothing
    returning id`
  return rows.length === 1
}

/** Updates name and description of a component. @returns false if it was deleted in the meantime */
export const updateComponent = async (tx: Transaction, component: ComponentRecord): Promise<boolean> => {
  const rows = await tx`
    update components set display_name = ${component.displayName},
      description = ${component.description}, updated_at = ${new Date(component.updatedAtMs)}
    where id = ${component.id}`
  return rows.count === 1
}

/** Writes place and group of these components of one account. */
export const updateArrangement = async (
  tx: Transaction,
  accountId: string,
  arranged: readonly Pick<ComponentRecord, 'id' | 'position' | 'groupName'>[],
): Promise<void> => {
  const rows = arranged.map(({ id, position, groupName }) => ({ id, position, group_name: groupName }))
  await tx`
    update components set position = arranged.position, group_name = arranged.group_name
    from jsonb_to_recordset(${tx.json(rows)}) as arranged (id uuid, position integer, group_name text)
    where components.id = arranged.id and components.account_id = ${accountId}
      and (components.position, components.group_name)
        is distinct from (arranged.position, arranged.group_name)`
}

/** @returns false when the page of the account has no such component */
export const deleteComponent = async (
  tx: Transaction,
  of: { accountId: string; statusPageId: string; componentId: string },
): Promise<boolean> => {
  const rows = await tx`
    delete from components where id = ${of.componentId}
      and status_page_id = ${of.statusPageId} and account_id = ${of.accountId}`
  return rows.count === 1
}
