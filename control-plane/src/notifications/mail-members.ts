import type { Transaction } from '../stores/postgres/connect.ts'
import { insertDeliveries } from './deliveries-store.ts'
import type { MailMessage } from './mail/mail.ts'

/** Writes a mail to every member of an account, in the transaction of its cause: one for each cause. */
export const mailMembers = async (
  tx: Transaction,
  accountId: string,
  mail: { cause: string; message: MailMessage; expiresAtMs: number },
  nowMs: number,
): Promise<void> => {
  const members = await tx<{ id: string; email: string }[]>`
    select id, email from users where account_id = ${accountId} order by id`
  const { cause, message, expiresAtMs } = mail
  await insertDeliveries(
    tx,
    members.map(({ id, email }) => ({
      kind: 'mail' as const,
      accountId,
      cause: `${cause}:${id}`,
      recipient: email,
      message,
      expiresAtMs,
    })),
    nowMs,
  )
}
