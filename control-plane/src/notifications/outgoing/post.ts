import { exchange } from './exchange.ts'
import type { OutgoingGuard, Sent } from './exchange.ts'

export type Post = Omit<Sent, 'method' | 'body'> & { body: string }

/** What a receiver answered: the beginning of its body, as text. */
export type Answer = {
  httpStatus: number
  retryAfter: string | null
  text: string
  /** Whether the answer goes on behind `text`. */
  cut: boolean
  /** Whether the address that answered is not public: the operator opened it. */
  opened: boolean
}

const answerBytesMax = 8 * 1024

/** One POST to an address of an account, guarded, of whose answer little is read. @see exchange */
export const post = async (
  sent: Post,
  signal: AbortSignal,
  guard: OutgoingGuard,
): Promise<Answer> => {
  const asked = { ...sent, method: 'POST' } as const
  const { httpStatus, headers, bytes, cut, opened } = await exchange(
    asked,
    answerBytesMax,
    signal,
    guard,
  )
  const retryAfter = headers['retry-after'] ?? null
  return { httpStatus, retryAfter, text: bytes.toString('utf8'), cut, opened }
}
