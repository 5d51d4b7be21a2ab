import { z } from 'zod'

/**
 * Why a receiver gets no message now. `untested`: messages wait until the channel is tested. `failing`: the channel
 * does not take them. `unconfirmed`: the address has not confirmed, or ended the mails. `no_mail`: this server sends
 * no mail.
 */
export const NotReached = z.enum(['untested', 'failing', 'unconfirmed', 'no_mail'])
export type NotReached = z.infer<typeof NotReached>

/** The receivers of messages about an outage of a check, by all its rules. */
export const CheckReceivers = z.object({
  receivers: z.array(
    z.object({
      kind: z.enum(['channel', 'member', 'address']),
      id: z.string(),
      /** The name of the channel or member, or the address. */
      name: z.string(),
      /** null: messages reach it. */
      notReached: NotReached.nullable(),
    }),
  ),
})
export type CheckReceivers = z.infer<typeof CheckReceivers>
