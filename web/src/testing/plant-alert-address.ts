import {
  createUnsubscribeTokens,
  newConfirmationToken,
} from '@probe-mesh/control-plane/src/accounts/link-tokens'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { TestWeb } from './test-web.ts'

/**
 * Names an address in the rules of an account, as a server that sends mail does. @returns the paths of the links in
 * its mails: to confirm, and to unsubscribe
 */
export const plantAlertAddress = async ({ at }: TestWeb, accountId: string): Promise<string[]> => {
  const id = uuidv7(at.now())
  const { token, hash } = newConfirmationToken()
  const [now, later] = [new Date(at.now()), new Date(at.now() + 86_400_000)]
  await at.sql`
    insert into alert_addresses (id, account_id, email, confirm_hash, confirm_before, asked_at, created_at)
    values (${id}, ${accountId}, 'ops@example.net', ${hash}, ${later}, ${now}, ${now})`
  await at.sql`update alert_rules set addresses = '{ops@example.net}' where account_id = ${accountId}`
  const tokens = createUnsubscribeTokens('the key of the tests')
  return [`/alert-mails/confirm?token=${token}`, `/alert-mails/unsubscribe/${tokens.of(id)}`]
}
