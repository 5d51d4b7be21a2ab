import type { Msg } from '@nats-io/nats-core'

/** One message of a durable consumer, with the metadata of its reply subject. */
export type Delivery = {
  sequence: number
  /** The number of deliveries of this consumer, with repeated ones: a gap is a lost message. */
  number: number
  /** Unix ms */
  storedAt: number
  /** The subject to acknowledge it. */
  reply: string
  subject: string
  data: Uint8Array
}

/**
 * Parses `$JS.ACK.<stream>.<consumer>.<count>.<sequence>.<number>.<nanoseconds>.<pending>`, or its newer form
 * with domain and account in front and a random token at the end.
 * @throws Error when it is neither
 */
export const deliveryOf = ({ reply, subject, data }: Pick<Msg, 'reply' | 'subject' | 'data'>): Delivery => {
  const tokens = (reply ?? '').split('.')
  const at = tokens.length === 9 ? 5 : 7
  const [sequence, number, nanoseconds, pending] = tokens.slice(at, at + 4)
  if (reply === undefined || pending === undefined || !reply.startsWith('$JS.ACK.')) {
    throw new Error(`not a delivery of a consumer: ${reply}`)
  }
  return {
    sequence: Number(sequence),
    number: Number(number),
    // as text: nanoseconds since 1970 exceed exact numbers
    storedAt: Number(nanoseconds?.slice(0, -6)),
    reply,
    subject,
    // a copy: the bytes are part of a larger buffer from the socket
    data: new Uint8Array(data),
  }
}

/** The subject to acknowledge a message by its sequence alone; the server knows its delivery number. */
export const acknowledgementSubject = (stream: string, consumer: string, sequence: number): string =>
  `$JS.ACK.${stream}.${consumer}.1.${sequence}.1.0.0`
