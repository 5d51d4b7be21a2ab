import {
  addressConfirmationDays,
  addressesPerAccountMax,
  type AlertAddress,
} from '@probe-mesh/contracts/alert/alert-address'
import { invitationRule, mailRule, type AttemptRule } from '@probe-mesh/contracts/account/login-rules'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findAccount } from '../accounts/accounts-store.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import type { AccountContext, AccountRules, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { domainOf } from '../subscribers/subscriptions.ts'
import { newConfirmationToken } from '../accounts/link-tokens.ts'
import { addressMail, confirmAddressUrl } from './address-mail.ts'
import {
  describeAlertAddress,
  findAlertAddresses,
  findMemberAddresses,
  lockAlertAddress,
  writeAskedAddress,
  type AlertAddressRecord,
} from './alert-addresses-store.ts'

/** Counts mails to an address, and mails of an account, over all processes. */
type MailThrottle = {
  count(subjects: readonly { text: string; rule: AttemptRule }[]): Promise<Refusal | null>
  uncount(subjects: readonly { text: string; rule: AttemptRule }[]): Promise<void>
}

/** What operations on rules need. */
export type RuleContext = Pick<AccountContext, 'sql' | 'now'> & {
  readonly rules: Pick<AccountRules, 'sendsMail' | 'publicUrl' | 'blockedTargets'>
  readonly throttle: MailThrottle
}

const confirmationMs = addressConfirmationDays * 86_400_000

const subjectsOf = (accountId: string, email: string) => [
  { text: `mail an alert confirmation to ${email.toLowerCase()}`, rule: mailRule },
  { text: `confirm alert addresses of ${accountId}`, rule: invitationRule },
]

/**
 * Runs a write that mails confirmations to these addresses. Each mail counts for its address and its account:
 * SV-6005 beyond the limits, without any mail. A refused write uncounts them.
 */
export const withMails = async <T>(
  { throttle }: Pick<RuleContext, 'throttle'>,
  accountId: string,
  emails: readonly string[],
  act: () => Promise<T | Refusal>,
): Promise<T | Refusal> => {
  const counted: ReturnType<typeof subjectsOf>[] = []
  const uncount = async (): Promise<void> => {
    for (const subjects of counted) await throttle.uncount(subjects)
  }
  for (const email of emails) {
    const subjects = subjectsOf(accountId, email)
    const tooMany = await throttle.count(subjects)
    if (tooMany !== null) {
      await uncount()
      return { ...tooMany, message: tooManyMails }
    }
    counted.push(subjects)
  }
  const done = await act()
  if (isRefusal(done)) await uncount()
  return done
}

const tooManyMails = 'Too many confirmations were mailed. Retry after the seconds in Retry-After.'

/** Those of the addresses that the account has not asked yet. A receiver who ended the mails is not asked again. */
export const newAddresses = async (
  { sql }: Pick<RuleContext, 'sql'>,
  accountId: string,
  emails: readonly string[],
): Promise<string[]> =>
  emails.length === 0
    ? []
    : inAccount(sql, accountId, async (tx) => unknownOf(emails, await findAlertAddresses(tx, accountId)))

const unknownOf = (emails: readonly string[], known: readonly AlertAddressRecord[]): string[] => {
  const names = new Set(known.map(({ email }) => email.toLowerCase()))
  return emails.filter((email) => !names.has(email.toLowerCase()))
}

/**
 * Problems of the addresses of a rule: members, domains that must not be contacted, a server without mail.
 * @param kept addresses that the rule names already: they may stay
 */
export const addressProblems = async (
  { rules }: Pick<RuleContext, 'rules'>,
  db: Connection,
  accountId: string,
  emails: readonly string[],
  kept: readonly string[],
): Promise<FieldProblem[]> => {
  const before = new Set(kept)
  if (emails.every((email) => before.has(email))) return []
  if (!rules.sendsMail) return [{ path: 'addresses', message: noMail }]
  const members = await findMemberAddresses(db, accountId)
  // only an account that proved an address of its own mails others
  if (!members.some(({ isConfirmed }) => isConfirmed)) return [{ path: 'addresses', message: unconfirmed }]
  const isMember = new Set(members.map(({ email }) => email))
  return emails.flatMap((email, index) => {
    const path = `addresses[${index}]`
    if (before.has(email)) return []
    if (isMember.has(email.toLowerCase()))
      return [{ path, message: 'is a member: choose the member instead' }]
    return rules.blockedTargets.coversHost(domainOf(email)) ? [{ path, message: denied }] : []
  })
}

const noMail = 'this server sends no mail, so no address can confirm. Leave it empty.'
const unconfirmed = 'no member has confirmed an address. Log in once by a mailed link to confirm yours.'
const denied = 'the owner of the mail domain asked not to be contacted'

/** Mails a confirmation to each address that is new to the account, in the transaction of its rule. */
export const askNewAddresses = async (
  context: Pick<RuleContext, 'rules' | 'now'>,
  tx: Transaction,
  accountId: string,
  emails: readonly string[],
): Promise<Refusal | null> => {
  if (emails.length === 0) return null
  const known = await findAlertAddresses(tx, accountId)
  const unknown = unknownOf(emails, known)
  if (known.length + unknown.length > addressesPerAccountMax) return tooManyAddresses
  const nowMs = context.now()
  for (const email of unknown) {
    const record = { ...asked(nowMs), id: uuidv7(nowMs), accountId, email }
    await ask(context, tx, record)
  }
  return null
}

const tooManyAddresses = refuse('SV-3002', {
  message: `The limit of ${addressesPerAccountMax} addresses of an account is reached. Remove one from its rules first.`,
})

const asked = (nowMs: number) => ({
  askedAtMs: nowMs,
  confirmBeforeMs: nowMs + confirmationMs,
  confirmedAtMs: null,
  endedAtMs: null,
})

const ask = async (
  { rules }: Pick<RuleContext, 'rules'>,
  tx: Transaction,
  record: AlertAddressRecord,
): Promise<void> => {
  const { accountId, email, askedAtMs, confirmBeforeMs } = record
  const account = await findAccount(tx, accountId)
  const { token, hash } = newConfirmationToken()
  await writeAskedAddress(tx, record, hash)
  const draft = {
    accountId,
    kind: 'mail' as const,
    recipient: email,
    cause: `alert address:${record.id}:${hash.toString('hex')}`,
    message: addressMail(account?.name ?? '', confirmAddressUrl(rules.publicUrl, token)),
    expiresAtMs: confirmBeforeMs,
  }
  await insertDeliveries(tx, [draft], askedAtMs)
}

/**
 * Mails another link to an address, also where its receiver ended the mails. The former link stops working.
 * SV-3001 for another account's, SV-3002 for a confirmed address and without a mail server, SV-6005 after too many.
 */
export const askAlertAddress = async (
  context: RuleContext,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<AlertAddress | Refusal> => {
  const { accountId } = writer
  const found = await inAccount(context.sql, accountId, (tx) => findAlertAddresses(tx, accountId))
  const email = found.find((each) => each.id === id)?.email
  if (email === undefined) return refuse('SV-3001')
  if (!context.rules.sendsMail) return refuse('SV-3002', { message: 'This server sends no mail.' })
  const audit = { action: 'askAlertAddress', resourceType: 'alert_address', resourceId: () => email }
  const written = await withMails(context, accountId, [email], () =>
    write(context, writer, audit, async (tx) => {
      const record = await lockAlertAddress(tx, accountId, id)
      if (record === null) return refuse('SV-3001')
      if (record.confirmedAtMs !== null)
        return refuse('SV-3002', { message: 'The address has confirmed already.' })
      const again = { ...record, ...asked(context.now()) }
      await ask(context, tx, again)
      return again
    }),
  )
  return isRefusal(written) ? written : describeAlertAddress(written, context.now())
}
