import { accepted, malformed, missing, partial, refused, type Heard, type StartTlsProtocol } from './reply.ts'

const tlsNamespace = 'urn:ietf:params:xml:ns:xmpp-tls'

/** A start or end tag: restricted XML has no comments, and `>` only as an entity in values that XMPP sends here. */
const tagPattern = /<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:'[^']*'|"[^"]*"))*)\s*(\/?)>/g

type Tag = { name: string; attributes: string; opens: boolean; closes: boolean; to: number }

const tagsOf = (text: string): Tag[] =>
  [...text.matchAll(tagPattern)].map((found) => {
    const [whole, slash = '', name = '', attributes = '', empty = ''] = found
    return {
      name,
      attributes,
      opens: slash === '',
      closes: slash !== '' || empty !== '',
      to: found.index + whole.length,
    }
  })

/** Whatever is no answer of an XMPP server, such as a line of another protocol. */
const isXml = (text: string): boolean => /^\s*(?:<|$)/.test(text)

/** The condition of `stream:error` or `failure`: the name of its first element. */
const conditionOf = (tags: readonly Tag[], name: string): string | null => {
  const at = tags.findIndex((each) => each.name === name && each.opens)
  if (at < 0) return null
  return tags[at]?.closes === true ? name : (tags[at + 1]?.name ?? name)
}

const isTls = ({ attributes }: Tag): boolean => attributes.includes(tlsNamespace)

/** RFC 6120 4.3.2: a stream with version 1.0 begins with its features. */
const features = (received: Buffer): Heard => {
  const text = received.toString('latin1')
  if (!isXml(text)) return malformed
  const tags = tagsOf(text)
  const error = conditionOf(tags, 'error')
  if (error !== null) return refused(error)
  const end = tags.find(({ name, closes }) => name === 'features' && closes)
  if (end === undefined)
    return tags.some(({ name, closes }) => name === 'stream' && closes) ? malformed : partial
  const offers = tags.some((each) => each.name === 'starttls' && isTls(each) && each.to <= end.to)
  return offers ? accepted(end.to) : missing
}

/** RFC 6120 5.4.2: `proceed`, or `failure` and the end of the stream. */
const reply = (received: Buffer): Heard => {
  const text = received.toString('latin1')
  if (!isXml(text)) return malformed
  const tags = tagsOf(text)
  const [first] = tags
  if (first === undefined) return partial
  if (first.name === 'failure' && isTls(first)) return refused('failure')
  const error = conditionOf(tags, 'error')
  if (error !== null) return refused(error)
  if (first.name !== 'proceed' || !isTls(first)) return malformed
  const end = tags.find(({ name, closes }) => name === 'proceed' && closes)
  return end === undefined ? partial : accepted(end.to)
}

const header = (domain: string): string =>
  `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' to='${domain}' version='1.0'>`

/** RFC 6120 5, of a client. The domain is that of the addresses, not of the machine. */
export const xmpp: StartTlsProtocol = {
  name: 'XMPP',
  steps: (domain) => [
    { awaited: 'reply to the stream header', send: header(domain), read: features },
    { awaited: 'reply to STARTTLS', send: `<starttls xmlns='${tlsNamespace}'/>`, read: reply },
  ],
  farewell: '',
}
