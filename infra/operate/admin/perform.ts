import { changeTier, listAccounts } from '@probe-mesh/control-plane/accounts/manage-accounts'
import { createAccount } from '@probe-mesh/control-plane/login/create-account'
import { createKey, listKeys, revokeKey } from '@probe-mesh/control-plane/accounts/keys'
import { makePassword } from '@probe-mesh/control-plane/login/passwords/password'
import { findNewestQuarantines } from '@probe-mesh/control-plane/status/quarantine/quarantines-store'
import { resumeAccount, suspendAccount } from '@probe-mesh/control-plane/login/suspend-account'
import { findPoolShares } from '@probe-mesh/control-plane/app/pool-snapshot'
import { findNewestDoubts } from '@probe-mesh/control-plane/status/quarantine/region-doubts-store'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Command, KeyCommand, Outcome } from './command.ts'
import { findAccountId } from './find-account-id.ts'
import { performCheck, type AdminContext } from './perform-check.ts'

const quarantinesShown = 50
/** Quarantines shown with their evidence: up to 63 rows each. */
const evidenceShown = 10

export const perform = async (
  context: AdminContext,
  command: Exclude<Command, KeyCommand>,
): Promise<Outcome | Refusal> => {
  const { act } = command
  switch (act) {
    case 'account create': {
      const { name, email, tier } = command
      const password = makePassword()
      const account = await createAccount(
        { ...context, sendsMail: context.rules.smtpUrl !== null },
        { name, email, password, tier },
      )
      return isRefusal(account) ? account : { act, account, email, password }
    }
    case 'account list':
      return { act, accounts: await listAccounts(context) }
    case 'tier set': {
      const accountId = await findAccountId(context, command.account)
      if (isRefusal(accountId)) return accountId
      const account = await changeTier(context, { accountId, tier: command.tier })
      return isRefusal(account) ? account : { act, account }
    }
    case 'suspend account':
    case 'resume account': {
      const accountId = await findAccountId(context, command.account)
      if (isRefusal(accountId)) return accountId
      const change = act === 'suspend account' ? suspendAccount : resumeAccount
      const done = await change(context, { accountId })
      return isRefusal(done) ? done : { act, ...done }
    }
    case 'usage':
      return { act, shares: await findPoolShares(context.sql) }
    case 'key create': {
      const { name, scope } = command
      const accountId = await findAccountId(context, command.account)
      if (isRefusal(accountId)) return accountId
      const created = await createKey(context, { accountId, name, scope })
      return isRefusal(created) ? created : { act, ...created }
    }
    case 'key list': {
      const accountId = await findAccountId(context, command.account)
      if (isRefusal(accountId)) return accountId
      const keys = await listKeys(context, { accountId })
      return isRefusal(keys) ? keys : { act, keys }
    }
    case 'key revoke': {
      const key = await revokeKey(context, { keyId: command.keyId })
      return isRefusal(key) ? refuse('SV-3001', { message: 'There is no key with that id.' }) : { act, key }
    }
    case 'regions':
      return { act, quarantines: await findNewestQuarantines(context.sql, quarantinesShown) }
    case 'quarantines': {
      const [quarantines, doubts] = await Promise.all([
        findNewestQuarantines(context.sql, evidenceShown),
        findNewestDoubts(context.sql, evidenceShown),
      ])
      return { act, quarantines, doubts }
    }
    case 'check create':
    case 'check edit':
    case 'check steps':
    case 'check list':
      return performCheck(context, command)
  }
}
