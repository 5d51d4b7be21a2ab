import type { AlertAddress, AlertAddressState, AlertMailTo } from '@probe-mesh/contracts/alert/alert-address'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** An address of somebody who is no member, for one account. Times are Unix milliseconds. */
export type AlertAddressRecord = {
  id: string
  accountId: string
  email: string
  askedAtMs: number
  confirmBeforeMs: number
  confirmedAtMs: number | null
  /** When its receiver ended the mails. */
  endedAtMs: number | null
}

const addressColumns = (db: Connection) => db`
  alert_addresses.id, account_id as "accountId", email, ${epochMs(db, 'asked_at')} as "askedAtMs",
  ${epochMs(db, 'confirm_before')} as "confirmBeforeMs", ${epochMs(db, 'confirmed_at')} as "confirmedAtMs",
  ${epochMs(db, 'ended_at')} as "endedAtMs"`

/** The addresses of an account, in the order of their names. */
export const findAlertAddresses = async (db: Connection, accountId: string): Promise<AlertAddressRecord[]> =>
  await db<AlertAddressRecord[]>`
    select ${addressColumns(db)} from alert_addresses
    where account_id = ${accountId} order by lower(email)`

/** One address of the account, locked until the transaction ends; null: another account's, or unknown. */
export const lockAlertAddress = async (
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<AlertAddressRecord | null> => {
  const [row] = await tx<AlertAddressRecord[]>`
    select ${addressColumns(tx)} from alert_addresses
    where id = ${id} and account_id = ${accountId} for update`
  return row ?? null
}

/** Writes an address with the hash of its newest link. An earlier link stops working. */
export const writeAskedAddress = async (
  tx: Transaction,
  { id, accountId, email, askedAtMs, confirmBeforeMs }: AlertAddressRecord,
  confirmHash: Uint8Array,
): Promise<void> => {
  const [askedAt, confirmBefore] = [new Date(askedAtMs), new Date(confirmBeforeMs)]
  await tx`
    insert into alert_addresses (id, account_id, email, confirm_hash, confirm_before, asked_at, created_at)
    values (${id}, ${accountId}, ${email}, ${confirmHash}, ${confirmBefore}, ${askedAt}, ${askedAt})
    on conflict (id) do update set confirm_hash = excluded.confirm_hash,
      confirm_before = excluded.confirm_before, asked_at = excluded.asked_at, ended_at = null`
}

/** Deletes the addresses that no rule names, except those whose receiver ended the mails. */
export const deleteUnnamedAddresses = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx`
    delete from alert_addresses
    where account_id = ${accountId} and ended_at is null and not exists (
      select from alert_rules, unnest(alert_rules.addresses) as named (email)
      where alert_rules.account_id = ${accountId} and lower(named.email) = lower(alert_addresses.email))`
}

/** The id, the address in lower case and the confirmation of the account's members. */
export const findMemberAddresses = async (
  db: Connection,
  accountId: string,
): Promise<{ id: string; email: string; isConfirmed: boolean }[]> =>
  await db<{ id: string; email: string; isConfirmed: boolean }[]>`
    select id, lower(email) as email, confirmed_at is not null as "isConfirmed"
    from users where account_id = ${accountId}`

/** An address behind a mailed link, with the name of its account. */
export type LinkedAddress = AlertAddressRecord & Pick<AlertMailTo, 'accountName'>

const linked = (db: Connection) => db`
  select ${addressColumns(db)}, accounts.name as "accountName"
  from alert_addresses join accounts on accounts.id = account_id`

/** The address whose newest link this is. */
export const findAddressByHash = async (
  db: Connection,
  confirmHash: Uint8Array,
): Promise<LinkedAddress | null> => {
  const [row] = await db<LinkedAddress[]>`${linked(db)} where confirm_hash = ${confirmHash}`
  return row ?? null
}

export const findLinkedAddress = async (db: Connection, id: string): Promise<LinkedAddress | null> => {
  const [row] = await db<LinkedAddress[]>`${linked(db)} where alert_addresses.id = ${id}`
  return row ?? null
}

/** Confirms an address by the hash of its link, which is valid. */
export const confirmAddress = async (
  db: Connection,
  confirmHash: Uint8Array,
  nowMs: number,
): Promise<void> => {
  const now = new Date(nowMs)
  await db`
    update alert_addresses set confirmed_at = coalesce(confirmed_at, ${now})
    where confirm_hash = ${confirmHash} and ended_at is null`
}

/** Ends the mails to an address. Its link does not confirm it again. */
export const endAddress = async (
  tx: Transaction,
  id: string,
  nowMs: number,
): Promise<{ accountId: string; email: string } | null> => {
  const now = new Date(nowMs)
  const [row] = await tx<{ accountId: string; email: string }[]>`
    update alert_addresses set confirm_hash = null, confirmed_at = null, ended_at = coalesce(ended_at, ${now})
    where id = ${id} returning account_id as "accountId", email`
  return row ?? null
}

/** Whether an address gets alerts. */
export const addressState = (
  { confirmedAtMs, endedAtMs, confirmBeforeMs }: AlertAddressRecord,
  nowMs: number,
): AlertAddressState => {
  if (endedAtMs !== null) return 'ended'
  if (confirmedAtMs !== null) return 'confirmed'
  return confirmBeforeMs > nowMs ? 'waiting' : 'expired'
}

/** An address as its account sees it. */
export const describeAlertAddress = (record: AlertAddressRecord, nowMs: number): AlertAddress => ({
  id: record.id,
  email: record.email,
  state: addressState(record, nowMs),
  askedAt: new Date(record.askedAtMs).toISOString(),
})
