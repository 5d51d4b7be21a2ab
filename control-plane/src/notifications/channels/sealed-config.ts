import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { SecretUnreadable, type Vault } from '../../secrets/vault.ts'
import type { ChannelRecord } from './channel-record.ts'
import { channelSecrets, channelUrls, parseChannelConfig } from './config.ts'
import { parseHeaders } from '@probe-mesh/contracts/channel/template-headers'
import { deniedMessage } from '@probe-mesh/contracts/target/deny-list'
import { parseTarget } from '@probe-mesh/contracts/target/target'
import { channelAllowOf } from './channel-allow.ts'
import type { AccountContext } from '../../accounts/operations/context.ts'
import { refuseUnsafe } from '../../targets/refuse-unsafe.ts'

/** A credential is sealed for its account and channel and opens for no other. */
export const channelOwner = ({
  accountId,
  id,
}: Pick<ChannelRecord, 'accountId' | 'id'>): readonly string[] => ['channel', accountId, id]

/** @throws SecretUnreadable */
export const openChannel = (
  vault: Vault,
  channel: Pick<ChannelRecord, 'accountId' | 'id' | 'type' | 'credential'>,
): ChannelConfig => {
  const text = vault.open(channel.credential, channelOwner(channel))
  const config = parseChannelConfig(channel.type, JSON.parse(text))
  if (isRefusal(config)) throw new SecretUnreadable('a stored config does not fit the type of its channel')
  return config
}

/** What sealing a channel needs: the rules for its addresses, and the vault for its credential. */
export type SealContext = {
  readonly vault: Vault
  readonly rules: Pick<AccountContext['rules'], 'targetAllow' | 'channelAllow' | 'blockedTargets'>
}

/**
 * Seals a config for its channel, with a summary that may be shown; SV-5001 when it names an address that
 * the account's channels may not reach.
 */
export const sealChannel = (
  { vault, rules }: SealContext,
  channel: ChannelConfig,
  owner: Pick<ChannelRecord, 'accountId' | 'id'> & { isOperators: boolean },
): Pick<ChannelRecord, 'credential' | 'summary'> | Refusal => {
  const allow = channelAllowOf(rules, owner)
  const unsafe = channelUrls(channel).flatMap(({ path, url }) => {
    const parsed = parseTarget(url, { allow })
    if (!parsed.ok) return [{ path, ...parsed.problem }]
    const isDenied = rules.blockedTargets.coversHost(parsed.target.host)
    return isDenied ? [{ path, rule: 'denied', message: deniedMessage }] : []
  })
  return (
    refuseUnsafe(unsafe) ?? {
      credential: vault.seal(JSON.stringify(channel.config), channelOwner(owner)),
      summary: summaryOf(channel),
    }
  )
}

const shownCharacters = 4
/** No character of a shorter credential is shown. */
const charactersMin = 12

/**
 * A redacted summary of a config (S-2002): hosts, and the last four characters of each secret. Of a template
 * only the names of its headers are shown.
 */
export const summaryOf = (channel: ChannelConfig): Record<string, string> => {
  const { type, config } = channel
  const urls = channelUrls(channel).map(({ path, url }) => [path.replace('config.', ''), hostAndEnd(url)])
  const secrets = channelSecrets(channel).flatMap(([key, secret]) => {
    if (key === 'body') return []
    return [[key, key === 'headers' ? namesOf(secret) : endOf(secret)]]
  })
  const summary = Object.fromEntries([...urls, ...secrets])
  if (type !== 'json') return summary
  if (config.form === 'template') return { form: config.form, contentType: config.contentType, ...summary }
  if (config.form === 'telegram') return { form: config.form, chatId: config.chatId, ...summary }
  if (config.form !== undefined && config.form !== 'default') return { form: config.form, ...summary }
  return { url: hostAndEnd(config.url), signed: config.secret === undefined ? 'no' : 'yes', ...summary }
}

const namesOf = (headers: string): string =>
  parseHeaders(headers)
    .map(({ name }) => name)
    .join(', ')

const endOf = (secret: string): string =>
  secret.length < charactersMin ? '…' : `…${secret.slice(-shownCharacters).toWellFormed()}`

/** Webhook URLs carry their credential in the path or the query. */
const hostAndEnd = (text: string): string => {
  const url = new URL(text)
  const rest = `${url.pathname}${url.search}${url.hash}`
  return rest === '/' ? `${url.protocol}//${url.host}/` : `${url.protocol}//${url.host}/${endOf(rest)}`
}
