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
  const inAccount = async <T>(work: (accountId: string) => Promise<T>): Promise<T | Refusal> => {
    const accountId = await findAccountId(context, 'account' in command ? command.account : '')
    return isRefusal(accountId) ? accountId : work(accountId)
  }
  switch (act) {
    case 'account create': {
      const { name, email, tier } = command
      const password = makePassword()
      const account = await createAccount(
        { ...context, sendsMail: context.rules.smtpUrl !== null },
        { name, email, password, tier },
      )
      return unlessRefused(account, (account) => ({ act, account, email, password }))
    }
    case 'account list':
      return { act, accounts: await listAccounts(context) }
    case 'tier set': {
      const { tier } = command
      const account = await inAccount((accountId) => changeTier(context, { accountId, tier }))
      return unlessRefused(account, (account) => ({ act, account }))
    }
    case 'suspend account':
    case 'resume account': {
      const change = act === 'suspend account' ? suspendAccount : resumeAccount
      const done = await inAccount((accountId) => change(context, { accountId }))
      return unlessRefused(done, (done) => ({ act, ...done }))
    }
    case 'usage':
      return { act, shares: await findPoolShares(context.sql) }
    case 'key create': {
      const { name, scope } = command
      const created = await inAccount((accountId) => createKey(context, { accountId, name, scope }))
      return unlessRefused(created, (created) => ({ act, ...created }))
    }
    case 'key list': {
      const keys = await inAccount((accountId) => listKeys(context, { accountId }))
      return unlessRefused(keys, (keys) => ({ act, keys }))
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

const unlessRefused = <T>(done: T | Refusal, outcomeOf: (done: T) => Outcome): Outcome | Refusal =>
  isRefusal(done) ? done : outcomeOf(done)
