import { randomInt } from 'node:crypto'
import packet from 'dns-packet'
import { chainOf, type Chain } from './chain.ts'
import { readDelegation, type Authority } from './delegation.ts'
import {
  endOfQuestion,
  headBytes,
  readAnswers,
  readHead,
  type DnsRecord,
  type Head,
  type Question,
} from './message.ts'

/** A question as sent: each exchange has a new id. */
export type Query = { id: number; question: Question; bytes: Buffer }

/** A resolver's answer to the question. */
export type Answer = Chain & {
  rcode: string
  /** Only for a direct question. */
  authority?: Authority
}

const flagsOf = ({ how }: Question): number => {
  if (how === 'direct') return 0
  return packet.RECURSION_DESIRED | (how === 'unchecked' ? packet.CHECKING_DISABLED : 0)
}

/** Without EDNS, which every server understands; answers over 512 octets come over TCP. */
export const createQuery = (question: Question): Query => {
  const id = randomInt(65_536)
  const bytes = packet.encode({
    type: 'query',
    id,
    flags: flagsOf(question),
    questions: [{ name: question.name, type: question.type, class: 'IN' }],
  })
  return { id, question, bytes }
}

/** With these codes servers may omit the question. */
const mayOmitQuestion: ReadonlySet<string> = new Set(['FORMERR', 'SERVFAIL', 'NOTIMP', 'REFUSED'])

/** A message that answers a query, with its records if the response code lets it have some. */
type Received = {
  rcode: string
  records: readonly DnsRecord[] | null
  head: Head
  /** Start of the answers. */
  answersAt: number
}

/** Reads a message for a query. `ignored`: another id or question, a query, or malformed. */
export const receivedFor = ({ id, question }: Query, bytes: Buffer): Received | 'truncated' | 'ignored' => {
  const head = readHead(bytes)
  if (head === null || head.id !== id || !head.isResponse || head.opcode !== 0) return 'ignored'
  const { rcode } = head
  if (head.questionCount === 0 && mayOmitQuestion.has(rcode)) {
    return { rcode, records: null, head, answersAt: headBytes }
  }
  const answersAt = head.questionCount === 1 ? endOfQuestion(bytes, question) : null
  if (answersAt === null) return 'ignored'
  if (head.truncated) return 'truncated'
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return { rcode, records: null, head, answersAt }
  const records = readAnswers(bytes, answersAt, head, question.type)
  return records === null ? 'ignored' : { rcode, records, head, answersAt }
}

/** Interprets a message for a query, with the values of its records. */
export const answerTo = (query: Query, bytes: Buffer): Answer | 'truncated' | 'ignored' => {
  const received = receivedFor(query, bytes)
  if (typeof received === 'string') return received
  const { rcode, records, head, answersAt } = received
  if (records === null) return { rcode, ...nothing }
  const { question } = query
  const answer = { rcode, ...chainOf(records, question) }
  if (question.how !== 'direct') return answer
  const { authoritative, recursive } = head
  const delegation = readDelegation(bytes, answersAt, head, question)
  return { ...answer, authority: { authoritative, recursive, delegation } }
}

const nothing: Chain = { values: [], ttlSeconds: null, tooLong: false }
