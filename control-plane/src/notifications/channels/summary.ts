import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'

const shownCharacters = 4
/** No character of a shorter credential is shown. */
const charactersMin = 12

/**
 * A redacted summary of a config (S-2002): hosts, and the last four characters of each secret.
 */
export const summaryOf = ({ type, config }: ChannelConfig): Record<string, string> => {
  switch (type) {
    case 'discord':
    case 'teams':
      return { webhookUrl: hostAndEnd(config.webhookUrl) }
    case 'opsgenie':
      return {
        apiKey: endOf(config.apiKey),
        ...(config.apiUrl === undefined ? {} : { apiUrl: hostAndEnd(config.apiUrl) }),
      }
    case 'json':
      return {
        url: hostAndEnd(config.url),
        signed: config.secret === undefined ? 'no' : 'yes',
        ...(config.secret === undefined ? {} : { secret: endOf(config.secret) }),
      }
  }
}

const endOf = (secret: string): string =>
  secret.length < charactersMin ? '…' : `…${secret.slice(-shownCharacters).toWellFormed()}`

/** Webhook URLs carry their credential in the path or the query. */
const hostAndEnd = (text: string): string => {
  const url = new URL(text)
  const rest = `${url.pathname}${url.search}${url.hash}`
  return rest === '/' ? `${url.protocol}//${url.host}/` : `${url.protocol}//${url.host}/${endOf(rest)}`
}
