import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import packet from 'dns-packet'

/** The treatment of a query: forwarded, left unanswered, or answered with a code without records. */
export type FrontRule = { passTo: { address: string; port: number } } | 'silent' | { rcode: number }

const answerMsMax = 5_000

/** Listens on an address for queries over UDP and treats each by the current rule. */
export const startNameFront = async (
  address: string,
  ruleOf: (name: string) => FrontRule,
): Promise<Socket> => {
  const front = createSocket('udp4')
  front.on('message', (message, from) => {
    const name = nameIn(message)
    if (name === null) return
    const rule = ruleOf(name)
    const answer = (bytes: Buffer): void => front.send(bytes, from.port, from.address)
    if (rule === 'silent') return
    if ('rcode' in rule) answer(refusing(message, rule.rcode))
    else pass(message, rule.passTo, answer)
  })
  front.bind(53, address)
  await once(front, 'listening')
  return front
}

const pass = (
  message: Buffer,
  to: { address: string; port: number },
  answer: (bytes: Buffer) => void,
): void => {
  const upstream = createSocket('udp4')
  const timer = setTimeout(() => upstream.close(), answerMsMax)
  upstream.on('error', () => undefined)
  upstream.once('message', (bytes) => {
    clearTimeout(timer)
    upstream.close()
    answer(bytes)
  })
  upstream.send(message, to.port, to.address)
}

const nameIn = (message: Buffer): string | null => {
  try {
    return packet.decode(message).questions?.[0]?.name.toLowerCase() ?? null
  } catch {
    return null
  }
}

const refusing = (message: Buffer, rcode: number): Buffer => {
  const { id = 0, questions = [] } = packet.decode(message)
  return packet.encode({
    type: 'response',
    id,
    flags: packet.AUTHORITATIVE_ANSWER | rcode,
    questions,
    answers: [],
  })
}
