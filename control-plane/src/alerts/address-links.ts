import type { AlertMailTo } from '@probe-mesh/contracts/alert/alert-address'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { failPendingMails } from '../notifications/deliveries-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { confirmationHash, type UnsubscribeTokens } from '../accounts/link-tokens.ts'
import {
  addressState,
  confirmAddress,
  endAddress,
  findAddressByHash,
  findLinkedAddress,
  type LinkedAddress,
} from './alert-addresses-store.ts'

/** The context of the links in mails to addresses. `sql` sees every account: the token is the credential. */
export type AddressLinkContext = {
  readonly sql: Sql
  readonly tokens: UnsubscribeTokens
  readonly now: () => number
}

/** The fields for the holder of a link: neither ids nor the account. */
const shown = ({ accountName, email }: LinkedAddress): AlertMailTo => ({ accountName, email })

/** The subject of a confirmation link. An unknown, replaced, ended or expired link is SV-3001. */
export const findAddressToConfirm = async (
  { sql, now }: Pick<AddressLinkContext, 'sql' | 'now'>,
  token: string,
): Promise<AlertMailTo | Refusal> => {
  const found = await findAddressByHash(sql, confirmationHash(token))
  const state = found === null ? 'expired' : addressState(found, now())
  return found !== null && (state === 'waiting' || state === 'confirmed') ? shown(found) : refuse('SV-3001')
}

/** Confirms an address, which gets alerts from now on. The same link again changes nothing. */
export const confirmAlertAddress = async (
  context: Pick<AddressLinkContext, 'sql' | 'now'>,
  token: string,
): Promise<AlertMailTo | Refusal> => {
  const found = await findAddressToConfirm(context, token)
  if (!isRefusal(found)) await confirmAddress(context.sql, confirmationHash(token), context.now())
  return found
}

/** The subject of an unsubscribe link; null: the mails ended already, SV-3001: the link is invalid. */
export const findAddressToEnd = async (
  { sql, tokens }: Pick<AddressLinkContext, 'sql' | 'tokens'>,
  token: string,
): Promise<{ to: AlertMailTo | null } | Refusal> => {
  const id = tokens.read(token)
  if (id === null) return refuse('SV-3001')
  const found = await findLinkedAddress(sql, id)
  return { to: found === null || found.endedAtMs !== null ? null : shown(found) }
}

/** Ends the mails of the account to an address at once, also those that wait (RFC 8058). Repeatable. */
export const endAlertAddress = async (
  { sql, tokens, now }: AddressLinkContext,
  token: string,
): Promise<{ unsubscribed: true } | Refusal> => {
  const id = tokens.read(token)
  if (id === null) return refuse('SV-3001')
  await transact(sql, async (tx) => {
    const ended = await endAddress(tx, id, now())
    if (ended !== null) await failPendingMails(tx, ended, 'not sent: the receiver ended the mails')
  })
  return { unsubscribed: true }
}
