import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { oneLine } from '../outgoing/send-result.ts'
import { parseHeaders } from '@probe-mesh/contracts/channel/template-headers'
import { channelSecrets, channelUrls } from './config.ts'

/** Shorter parts of a URL appear in texts by chance and are not secret. */
const partCharactersMin = 6
/** Shorter words of a template are names of its keys. */
const wordCharactersMin = 16

/**
 * A receiver's answer for people: its start on one line, with the channel's credential redacted.
 * @param text the start of the answer
 * @param cut whether the answer continues after `text`: the end, which may start a credential, is dropped
 */
export const redactAnswer = (
  text: string,
  channel: ChannelConfig,
  { charactersMax, cut }: { charactersMax: number; cut: boolean },
): string => {
  const secrets = secretsOf(channel)
  const longest = Math.max(0, ...secrets.map((secret) => secret.length))
  const redacted = secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), text)
  const certain = cut ? redacted.slice(0, Math.max(0, redacted.length - longest)) : redacted
  return oneLine(certain).slice(0, charactersMax)
}

/** All secrets of a config, longest first, so that no part is replaced inside another. */
const secretsOf = (channel: ChannelConfig): string[] => {
  const urls = channelUrls(channel).flatMap(({ url }) => secretsOfUrl(url))
  const found = [...urls, ...keysOf(channel)]
  return [...new Set(found)].toSorted((one, other) => other.length - one.length)
}

const keysOf = (channel: ChannelConfig): string[] =>
  channelSecrets(channel).flatMap(([key, secret]) => {
    if (key === 'headers') return parseHeaders(secret).flatMap(({ value }) => [value, ...wordsOf(value)])
    // an owner may write a key into the body: its longer words are secrets too
    if (key === 'body') return secret.split(/[^\w.~+/-]+/).filter((word) => word.length >= wordCharactersMin)
    return [secret, secret.replace(/^whsec_/, '')]
  })

const wordsOf = (value: string): string[] =>
  value.split(' ').filter((word) => word.length >= partCharactersMin)

/** A URL in the forms that an answer may repeat: whole, its path, and each part of it. */
const secretsOfUrl = (text: string): string[] => {
  const url = new URL(text)
  const parts = [...url.pathname.split('/'), ...url.search.split(/[?&=]/)]
  const whole = [text, url.href, `${url.pathname}${url.search}`, url.pathname]
  return [...whole, ...parts, ...parts.map(decoded)].filter((secret) => secret.length >= partCharactersMin)
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
