import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Email, Instant } from '../schema/text.ts'

/** Addresses that one rule may name. */
export const addressesPerRuleMax = 10
/** Addresses that all rules of an account may name, those included whose receiver ended the mails. */
export const addressesPerAccountMax = 100
/** How long the link of a confirmation works. */
export const addressConfirmationDays = 7

const distinctAddresses = (addresses: readonly string[]): boolean =>
  new Set(addresses.map((address) => address.toLowerCase())).size === addresses.length

/** Addresses of people who are no members. */
export const RuleAddresses = z
  .array(Email)
  .max(addressesPerRuleMax)
  .refine(distinctAddresses, 'an address is named twice')

/**
 * `waiting`: a confirmation link was mailed and works. `expired`: it no longer works. `ended`: the receiver
 * ended the mails. Only a confirmed address gets alerts.
 */
export const AlertAddressState = z.enum(['waiting', 'expired', 'confirmed', 'ended'])
export type AlertAddressState = z.infer<typeof AlertAddressState>

/** An address that rules of the account name or named, with its confirmation. */
export const AlertAddress = z.object({
  id: z.string(),
  email: z.string(),
  state: AlertAddressState,
  /** When the newest link was mailed. */
  askedAt: Instant,
})
export type AlertAddress = z.infer<typeof AlertAddress>

export const AlertAddressParams = z.object({ id: Uuid })

/** The subject of a mailed link, for its holder. */
export const AlertMailTo = z.object({ accountName: z.string(), email: z.string() })
export type AlertMailTo = z.infer<typeof AlertMailTo>

const Sent = z.object({ token: z.string() })

/**
 * The routes behind the links in mails to addresses, below the public URL. They need no key and no cookie, since
 * the mailed token is the credential. Reading does not use it up. An invalid or expired token is SV-3001.
 */
export const alertMailRoutes = {
  addressToConfirm: {
    method: 'GET',
    path: '/alert-mails/confirm.json',
    query: Sent,
    output: AlertMailTo,
  },
  confirmAddress: {
    method: 'POST',
    path: '/alert-mails/confirm.json',
    body: Sent,
    output: AlertMailTo,
  },
  addressToEnd: {
    method: 'GET',
    path: '/alert-mails/unsubscribe.json',
    query: Sent,
    /** null when the mails have ended already. */
    output: z.object({ to: AlertMailTo.nullable() }),
  },
  endAddress: {
    method: 'POST',
    path: '/alert-mails/unsubscribe.json',
    body: Sent,
    output: z.object({ unsubscribed: z.literal(true) }),
  },
} as const
